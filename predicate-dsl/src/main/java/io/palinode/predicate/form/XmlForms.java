package io.palinode.predicate.form;

import io.palinode.predicate.text.Place;
import io.palinode.predicate.text.PredicateException;
import jakarta.xml.bind.JAXBContext;
import jakarta.xml.bind.JAXBException;
import jakarta.xml.bind.Marshaller;
import jakarta.xml.bind.SchemaOutputResolver;
import jakarta.xml.bind.Unmarshaller;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.xml.stream.Location;
import javax.xml.stream.XMLStreamException;
import javax.xml.transform.Result;
import javax.xml.transform.stream.StreamResult;
import org.glassfish.jaxb.runtime.v2.JAXBContextFactory;

/** {@link PredicateForm} from and to XML text, by JAXB. */
final class XmlForms {
  private static final String REASON = "Message: ";

  /** The parser has no text for this one. */
  private static final Pattern ATTRIBUTE_TWICE = Pattern.compile(".*#AttributeNotUnique\\?.*&(.*)");

  private static final Pattern ANY_ATTRIBUTE = Pattern.compile("<xs:anyAttribute[^>]*/>");

  /** JAXB's contexts are costly to make and safe to share. */
  private static final JAXBContext CONTEXT = context();

  private XmlForms() {}

  static PredicateForm read(String text, String source) {
    try {
      XmlStream stream = XmlStream.of(text, source);
      requireUtf8(stream);
      PredicateForm form = unmarshaller(stream).unmarshal(stream, PredicateForm.class).getValue();
      stream.finish();
      return form;
    } catch (XMLStreamException e) {
      throw refusal(e, source);
    } catch (JAXBException e) {
      if (e.getLinkedException() instanceof XMLStreamException notXml) {
        throw refusal(notXml, source);
      }
      throw new IllegalStateException("the grammar lets nothing through that JAXB refuses", e);
    }
  }

  static String write(PredicateForm form) {
    StringWriter out = new StringWriter();
    try {
      Marshaller marshaller = CONTEXT.createMarshaller();
      marshaller.setProperty(Marshaller.JAXB_FORMATTED_OUTPUT, true);
      marshaller.setProperty(Marshaller.JAXB_FRAGMENT, true);
      marshaller.setProperty("org.glassfish.jaxb.characterEscapeHandler", new XmlEscapes());
      marshaller.setListener(
          new Marshaller.Listener() {
            @Override
            public void beforeMarshal(Object source) {
              if (source instanceof Placed placed) {
                placed.beforeWrite();
              }
            }
          });
      marshaller.marshal(form, out);
    } catch (JAXBException e) {
      throw new IllegalStateException("a form in memory cannot fail to be written", e);
    }
    return out.append('\n').toString();
  }

  /** The XML Schema of the forms, as JAXB sees them. */
  static String schema() {
    StringWriter out = new StringWriter();
    try {
      CONTEXT.generateSchema(
          new SchemaOutputResolver() {
            @Override
            public Result createOutput(String namespace, String file) {
              StreamResult result = new StreamResult(out);
              result.setSystemId(file);
              return result;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException("a string takes all that is written", e);
    }
    return withWords(out.toString());
  }

  /** JAXB knows a term's comparisons and a sum's relations as any attributes only. */
  private static String withWords(String schema) {
    String typed = schema;
    for (Map.Entry<String, List<String>> words : XmlGrammar.ATTRIBUTES_OF_TABLES.entrySet()) {
      int type = typed.indexOf("<xs:complexType name=\"" + words.getKey() + "\"");
      Matcher any = ANY_ATTRIBUTE.matcher(typed);
      if (type < 0 || !any.find(type)) {
        throw new IllegalStateException("the schema must have any attributes: " + words.getKey());
      }
      String attributes =
          words.getValue().stream()
              .map(word -> "<xs:attribute name=\"%s\" type=\"xs:string\"/>".formatted(word))
              .collect(Collectors.joining("\n    "));
      typed = typed.substring(0, any.start()) + attributes + typed.substring(any.end());
    }
    return typed;
  }

  private static JAXBContext context() {
    try {
      // Not looked up by the thread's class loader, which need not be the one that loaded us.
      return new JAXBContextFactory().createContext(new Class<?>[] {PredicateForm.class}, Map.of());
    } catch (JAXBException e) {
      throw new IllegalStateException("the form's annotations are wrong", e);
    }
  }

  private static Unmarshaller unmarshaller(XmlStream stream) throws JAXBException {
    Unmarshaller unmarshaller = CONTEXT.createUnmarshaller();
    unmarshaller.setAdapter(TextAdapter.class, new TextAdapter(stream::place));
    unmarshaller.setListener(
        new Unmarshaller.Listener() {
          @Override
          public void beforeUnmarshal(Object target, Object parent) {
            if (target instanceof Placed placed) {
              placed.place = stream.place();
            }
          }

          @Override
          public void afterUnmarshal(Object target, Object parent) {
            if (target instanceof Placed placed) {
              placed.afterRead();
            }
          }
        });
    // The stream has refused every name that JAXB would not know; go on after nothing else either.
    unmarshaller.setEventHandler(event -> false);
    return unmarshaller;
  }

  private static void requireUtf8(XmlStream stream) {
    String encoding = stream.getCharacterEncodingScheme();
    if (encoding != null && !encoding.equalsIgnoreCase("UTF-8")) {
      throw stream.place().refusal("the encoding of XML must be UTF-8: '" + encoding + "'");
    }
  }

  /** Before the reason its message repeats the place in its own way. */
  private static PredicateException refusal(XMLStreamException e, String source) {
    Location location = e.getLocation();
    String message = String.valueOf(e.getMessage());
    int at = message.indexOf(REASON);
    String reason = firstLine(at < 0 ? message : message.substring(at + REASON.length()));
    Place place =
        location == null
            ? new Place(source, 1, 1)
            : new Place(source, location.getLineNumber(), location.getColumnNumber());
    Matcher twice = ATTRIBUTE_TWICE.matcher(reason);
    return place.refusal(
        twice.matches()
            ? "attribute '" + twice.group(1) + "' must not appear twice"
            : "this is not XML: " + reason,
        e);
  }

  private static String firstLine(String message) {
    return message.lines().findFirst().orElse("").strip();
  }
}
