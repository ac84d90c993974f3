package io.palinode.predicate.form;

import java.io.IOException;
import java.io.Writer;
import org.glassfish.jaxb.core.marshaller.CharacterEscapeHandler;

/**
 * How characters are written in XML so that they are read back as they were. JAXB's own escapes
 * leave tabs and line feeds in attributes as they are, and a parser reads those as spaces (XML 1.0,
 * §3.3.3).
 */
final class XmlEscapes implements CharacterEscapeHandler {
  @Override
  public void escape(char[] text, int start, int length, boolean isAttribute, Writer out)
      throws IOException {
    for (int i = start; i < start + length; i++) {
      char c = text[i];
      switch (c) {
        case '&' -> out.write("&amp;");
        case '<' -> out.write("&lt;");
        case '>' -> out.write("&gt;");
        case '"' -> out.write(isAttribute ? "&quot;" : "\"");
        case '\t', '\n' -> out.write(isAttribute ? "&#" + (int) c + ";" : String.valueOf(c));
        case '\r' -> out.write("&#13;");
        default -> out.write(c);
      }
    }
  }
}
