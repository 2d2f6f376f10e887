import java.util.Optional;

/** Tests of {@link Calculator}. */
public final class CalculatorTest {
    public static void main(String[] arguments) {
        Calculator calculator = new Calculator();
        Check.same(9, calculator.postfix("1 2 + 3 *"));
        Check.same(7, calculator.postfix("7"));
        Check.same(true, calculator.balanced("a(b[c])"));
        Check.same(false, calculator.balanced("(]"));
        Check.same(false, calculator.balanced(")"));
        Check.same(false, calculator.balanced("("));
        Check.same("21", calculator.reversed(1, 2, 3));
        Check.same("", calculator.reversed());
        Check.same(Optional.of("c"), calculator.last("a b c"));
        Check.same(0, calculator.lastLength(""));
        Check.same(2, calculator.lastLength("a bc"));
    }
}
