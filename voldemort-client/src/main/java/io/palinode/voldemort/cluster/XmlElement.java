package io.palinode.voldemort.cluster;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * An element and where it stands, so that errors name file and line. Namespaces, comments and
 * processing instructions are dropped; a document type, and with it any entity that it declares, is
 * refused.
 *
 * @param text the character data directly in this element, trimmed
 */
record XmlElement(
    String file,
    int line,
    String name,
    Map<String, String> attributes,
    String text,
    List<XmlElement> children) {
  private static final int DEPTH_MAX = 32;

  /** The root of a document. Throws {@link ClusterFormatException}. */
  static XmlElement parse(String file, String xml) {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setXMLResolver(
        (publicId, systemId, base, namespace) -> {
          throw new XMLStreamException("an external entity is not allowed: " + systemId);
        });
    try {
      XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(xml));
      while (reader.next() != XMLStreamConstants.START_ELEMENT) {
        requirePlain(file, reader);
      }
      XmlElement root = element(file, reader, 1);
      while (reader.hasNext()) {
        reader.next();
      }
      return root;
    } catch (XMLStreamException e) {
      int line = e.getLocation() == null ? 1 : e.getLocation().getLineNumber();
      throw new ClusterFormatException(file, line, "not well-formed XML: " + reason(e), e);
    }
  }

  private static XmlElement element(String file, XMLStreamReader reader, int depth)
      throws XMLStreamException {
    if (depth > DEPTH_MAX) {
      throw new XMLStreamException(
          "elements nest at most " + DEPTH_MAX + " deep", reader.getLocation());
    }
    String name = reader.getLocalName();
    int line = reader.getLocation().getLineNumber();
    Map<String, String> attributes = new LinkedHashMap<>();
    for (int i = 0; i < reader.getAttributeCount(); i++) {
      attributes.put(reader.getAttributeLocalName(i), reader.getAttributeValue(i));
    }
    StringBuilder text = new StringBuilder();
    List<XmlElement> children = new ArrayList<>();
    for (int event = reader.next();
        event != XMLStreamConstants.END_ELEMENT;
        event = reader.next()) {
      requirePlain(file, reader);
      if (event == XMLStreamConstants.START_ELEMENT) {
        children.add(element(file, reader, depth + 1));
      } else if (reader.isCharacters()) {
        text.append(reader.getText());
      }
    }
    return new XmlElement(
        file, line, name, Map.copyOf(attributes), text.toString().trim(), List.copyOf(children));
  }

  private static void requirePlain(String file, XMLStreamReader reader) {
    int event = reader.getEventType();
    if (event == XMLStreamConstants.DTD || event == XMLStreamConstants.ENTITY_REFERENCE) {
      throw new ClusterFormatException(
          file, reader.getLocation().getLineNumber(), "a document type is not allowed");
    }
  }

  /** The JDK's parser puts its position before the reason; the error has file and line already. */
  private static String reason(XMLStreamException e) {
    String message = String.valueOf(e.getMessage());
    int at = message.indexOf("Message: ");
    return at < 0 ? message : message.substring(at + "Message: ".length());
  }

  ClusterFormatException error(String reason) {
    return new ClusterFormatException(file, line, reason);
  }

  void requireName(String expected) {
    if (!name.equals(expected)) {
      throw error("<" + expected + "> expected: <" + name + ">");
    }
  }

  List<XmlElement> children(String childName) {
    return children.stream().filter(c -> c.name.equals(childName)).toList();
  }

  /** Null when there is none. Throws {@link ClusterFormatException} when there are several. */
  @Nullable XmlElement child(String childName) {
    List<XmlElement> found = children(childName);
    if (found.size() > 1) {
      throw found.get(1).error("<" + name + "> has one <" + childName + "> at most");
    }
    return found.isEmpty() ? null : found.get(0);
  }

  XmlElement required(String childName) {
    XmlElement child = child(childName);
    if (child == null) {
      throw error("<" + name + "> needs <" + childName + ">");
    }
    return child;
  }

  int requiredInt(String childName) {
    return required(childName).intText();
  }

  int intOr(String childName, int absent) {
    XmlElement child = child(childName);
    return child == null ? absent : child.intText();
  }

  private int intText() {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new ClusterFormatException(
          file, line, "<" + name + "> must be a whole number: " + text, e);
    }
  }

  /** Numbers between commas; spaces do not count, an empty text is an empty list. */
  List<Integer> intList() {
    List<Integer> numbers = new ArrayList<>();
    for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      try {
        numbers.add(Integer.valueOf(part.trim()));
      } catch (NumberFormatException e) {
        throw new ClusterFormatException(
            file, line, "<" + name + "> must be whole numbers between commas: " + text, e);
      }
    }
    return numbers;
  }

  /** Builds a record from this element; a refusal of the record gets this line. */
  <T> T build(Supplier<T> record) {
    try {
      return record.get();
    } catch (ClusterFormatException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw new ClusterFormatException(file, line, String.valueOf(e.getMessage()), e);
    }
  }

  /** This element as a line of XML. */
  String toXml() {
    StringBuilder out = new StringBuilder("<").append(name);
    attributes.forEach(
        (key, value) ->
            out.append(' ').append(key).append("=\"").append(escape(value)).append('"'));
    out.append('>').append(escape(text));
    children.forEach(child -> out.append(child.toXml()));
    return out.append("</").append(name).append('>').toString();
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
