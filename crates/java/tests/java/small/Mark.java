package small;

public @interface Mark {}
