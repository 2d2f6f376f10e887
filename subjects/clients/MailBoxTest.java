/** Tests of {@link MailBox}. */
public final class MailBoxTest {
    public static void main(String[] arguments) throws Exception {
        MailBox box = new MailBox();
        Check.same("5", box.send("hello"));
        Check.same("0", box.send(""));
        Check.same(4, box.exclusive(3));
        Check.same(6, box.ifFree(3));
    }
}
