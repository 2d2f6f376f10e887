package small;

public enum Color { RED, GREEN, BLUE }
