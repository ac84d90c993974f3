package io.palinode.predicate.form;

import io.palinode.predicate.text.Place;
import io.palinode.predicate.text.Text;
import io.palinode.predicate.text.Vocabulary;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.util.StreamReaderDelegate;

/**
 * The elements of an XML text as JAXB reads them, held to {@link XmlGrammar} on the way. It also
 * knows where the element being read began, and puts elements without a namespace, such as those of
 * the paper, in the language's.
 *
 * <p>Document types are refused, so there are no entities but the five of XML.
 */
final class XmlStream extends StreamReaderDelegate {
  private static final Vocabulary ROOT =
      new Vocabulary("element", "a document", List.of(XmlGrammar.ROOT), Set.of());

  private final String text;
  private final String source;
  private final int[] lineStarts;
  private final Deque<Open> open = new ArrayDeque<>();
  private Place place;

  /** An element that has begun, and the children it has had. */
  private record Open(XmlGrammar.Shape shape, Place place, Set<String> children) {}

  private XmlStream(XMLStreamReader reader, String text, String source) {
    super(reader);
    this.text = text;
    this.source = source;
    this.lineStarts = lineStarts(text);
    this.place = placeOf(0);
  }

  static XmlStream of(String text, String source) throws XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    return new XmlStream(factory.createXMLStreamReader(new StringReader(text)), text, source);
  }

  /** Where the element begun last begins. */
  Place place() {
    return place;
  }

  /** Reads on to the end of the text, so that what follows the root is refused too. */
  void finish() throws XMLStreamException {
    while (hasNext()) {
      next();
    }
  }

  @Override
  public int next() throws XMLStreamException {
    int event = super.next();
    if (event == DTD) {
      throw placeOf(text.indexOf("<!DOCTYPE")).refusal("a document type is not allowed in XML");
    }
    if (event == START_ELEMENT) {
      // A tag holds no further '<', so the last one before its end is its beginning.
      place = placeOf(text.lastIndexOf('<', position() - 1));
      begin(new Text(getLocalName(), place));
    } else if (event == END_ELEMENT) {
      open.pop();
    } else if (isText(event) && !getText().isBlank()) {
      requireTextAllowed();
    }
    return event;
  }

  private static boolean isText(int event) {
    return event == CHARACTERS || event == CDATA;
  }

  private void requireTextAllowed() {
    Open element = open.peek();
    if (element != null && !element.shape.text()) {
      throw element.place.refusal(
          "there must be no text right in "
              + element.shape.children().owner()
              + ": '"
              + getText().strip()
              + "'");
    }
  }

  @Override
  public String getNamespaceURI() {
    String namespace = super.getNamespaceURI();
    return namespace == null || namespace.isEmpty() ? PredicateForm.NAMESPACE : namespace;
  }

  private void begin(Text name) {
    if (!getNamespaceURI().equals(PredicateForm.NAMESPACE)) {
      throw name.refusal(
          "the namespace must be "
              + PredicateForm.NAMESPACE
              + " or none: '"
              + getNamespaceURI()
              + "'");
    }
    Open parent = open.peek();
    if (parent == null) {
      ROOT.require(name);
    } else {
      parent.shape.children().require(name);
      if (!parent.children.add(name.value()) && !XmlGrammar.mayRepeat(name.value())) {
        throw name.refusal("element '" + name + "' must not appear twice");
      }
    }
    XmlGrammar.Shape shape = XmlGrammar.shape(name.value());
    requireAttributes(shape);
    open.push(new Open(shape, place, new HashSet<>()));
  }

  private void requireAttributes(XmlGrammar.Shape shape) {
    for (int i = 0; i < getAttributeCount(); i++) {
      String namespace = getAttributeNamespace(i);
      String name = getAttributeLocalName(i);
      if (namespace == null || namespace.isEmpty()) {
        shape.attributes().require(new Text(name, place));
      } else if (!namespace.equals(XMLConstants.W3C_XML_SCHEMA_INSTANCE_NS_URI)
          || !name.equals("schemaLocation")) {
        shape.attributes().require(new Text(getAttributePrefix(i) + ":" + name, place));
      }
    }
  }

  /**
   * Of the reader in the text. Its own character offset is wrong where no declaration begins it.
   */
  private int position() {
    return lineStarts[getLocation().getLineNumber() - 1] + getLocation().getColumnNumber() - 1;
  }

  private Place placeOf(int position) {
    int found = Arrays.binarySearch(lineStarts, position);
    int line = found >= 0 ? found : -found - 2;
    return new Place(source, line + 1, position - lineStarts[line] + 1);
  }

  /** Lines end as in XML 1.0, §2.11: with LF, CR LF or CR. */
  private static int[] lineStarts(String text) {
    int[] starts = new int[text.length() + 1];
    int lines = 1;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n' || (c == '\r' && !text.startsWith("\n", i + 1))) {
        starts[lines++] = i + 1;
      }
    }
    return Arrays.copyOf(starts, lines);
  }
}
