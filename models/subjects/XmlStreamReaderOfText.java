import java.io.StringReader;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** A reader of a small document. */
public final class XmlStreamReaderOfText {
    private static final XMLInputFactory FACTORY = XMLInputFactory.newInstance();
    private final XMLStreamReader in;

    public XmlStreamReaderOfText(boolean empty) throws XMLStreamException {
        in = FACTORY.createXMLStreamReader(new StringReader(empty ? "<a/>" : "<a>b</a>"));
    }

    public boolean hasNext() throws XMLStreamException {
        return in.hasNext();
    }

    public int next() throws XMLStreamException {
        return in.next();
    }

    public int getEventType() {
        return in.getEventType();
    }

    public void close() throws XMLStreamException {
        in.close();
    }
}
