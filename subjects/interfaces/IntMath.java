/** Arithmetic with checks, and no state at all. The eight methods are our choice in the spirit of Guava's class. */
public class IntMath {
    public IntMath() {}

    public int checkedAdd(int a, int b) {
        long result = (long) a + b;
        return checked(result);
    }

    public int checkedSubtract(int a, int b) {
        long result = (long) a - b;
        return checked(result);
    }

    public int checkedMultiply(int a, int b) {
        long result = (long) a * b;
        return checked(result);
    }

    public int mod(int x, int m) {
        if (m <= 0) {
            throw new ArithmeticException("modulus must be positive");
        }
        int result = x % m;
        return result >= 0 ? result : result + m;
    }

    public int factorial(int n) {
        if (n < 0) {
            throw new IllegalArgumentException("negative");
        }
        if (n > 12) {
            return Integer.MAX_VALUE;
        }
        int result = 1;
        for (int i = 2; i <= n; i++) {
            result *= i;
        }
        return result;
    }

    public int log2(int x) {
        if (x <= 0) {
            throw new IllegalArgumentException("not positive");
        }
        int log = 0;
        while ((x >>>= 1) != 0) {
            log++;
        }
        return log;
    }

    public boolean isPowerOfTwo(int x) {
        return x > 0 & (x & (x - 1)) == 0;
    }

    private static int checked(long result) {
        if (result != (int) result) {
            throw new ArithmeticException("overflow");
        }
        return (int) result;
    }
}
