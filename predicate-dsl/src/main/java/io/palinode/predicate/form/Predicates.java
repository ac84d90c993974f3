package io.palinode.predicate.form;

import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.text.Place;
import io.palinode.predicate.text.PredicateException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads and writes predicates. XML when the text starts with {@code <}, else YAML. Thread-safe.
 *
 * <p>Every refusal is a {@link PredicateException} whose message begins with {@code
 * source:line:column}; of a document that is too large or not UTF-8, with the source alone.
 */
public final class Predicates {
  /** Of a file; a text given in memory may have as many characters. */
  public static final int DOCUMENT_BYTES_MAX = 4 * 1024 * 1024;

  private Predicates() {}

  /** Throws {@link PredicateException} for anything that is not a valid, supported predicate. */
  public static Predicate read(Path file) throws IOException {
    return parse(text(file), file.toString());
  }

  /** As {@link #parseAll}, from a file. */
  public static List<Predicate> readAll(Path file) throws IOException {
    return readAll(file, PredicateLimits.DEFAULT);
  }

  public static List<Predicate> readAll(Path file, PredicateLimits limits) throws IOException {
    return parseAll(text(file), file.toString(), limits);
  }

  /**
   * The one predicate of {@code text}. {@code source} names the text in errors, and an XML
   * predicate without a name is named after it.
   */
  public static Predicate parse(String text, String source) {
    return parse(text, source, PredicateLimits.DEFAULT);
  }

  /** As above. What was accepted elsewhere is read with {@link PredicateLimits#CEILING}. */
  public static Predicate parse(String text, String source, PredicateLimits limits) {
    List<PredicateForm> forms = forms(text, source);
    if (forms.size() > 1) {
      throw forms.get(1).place.refusal("one predicate is expected, here a second one begins");
    }
    return FormReader.read(forms.get(0), nameOf(source), limits);
  }

  /**
   * The predicates of {@code text}, at least one, in order: YAML may hold several, separated by
   * {@code ---}. Two of one name are refused.
   */
  public static List<Predicate> parseAll(String text, String source) {
    return parseAll(text, source, PredicateLimits.DEFAULT);
  }

  public static List<Predicate> parseAll(String text, String source, PredicateLimits limits) {
    return parseWritten(text, source, limits).stream().map(Written::predicate).toList();
  }

  /** As {@link #parseWritten}, from a file. */
  public static List<Written> readWritten(Path file, PredicateLimits limits) throws IOException {
    return parseWritten(text(file), file.toString(), limits);
  }

  /** As {@link #parseAll}, with places. */
  public static List<Written> parseWritten(String text, String source, PredicateLimits limits) {
    String nameDefault = nameOf(source);
    List<Written> all =
        forms(text, source).stream().map(form -> Written.read(form, nameDefault, limits)).toList();
    Set<String> names = new HashSet<>();
    for (Written written : all) {
      String name = written.predicate().name();
      if (!names.add(name)) {
        throw written
            .form()
            .place
            .refusal("a name must not appear twice in a file: '" + name + "'");
      }
    }
    return all;
  }

  /** The canonical YAML form; {@code parse(toYaml(p))} equals p. */
  public static String toYaml(Predicate predicate) {
    return YamlWriter.write(predicate);
  }

  /** The XML form of the full language; {@code parse(toXml(p))} equals p. */
  public static String toXml(Predicate predicate) {
    return XmlForms.write(FormWriter.write(predicate));
  }

  private static String text(Path file) throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(DOCUMENT_BYTES_MAX + 1);
    }
    requireSize(bytes.length, "bytes", file.toString());
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new PredicateException(file + ": the text must be UTF-8", e);
    }
  }

  private static void requireSize(int size, String unit, String source) {
    if (size > DOCUMENT_BYTES_MAX) {
      throw new PredicateException(
          source
              + ": a document must have at most "
              + DOCUMENT_BYTES_MAX
              + " "
              + unit
              + ": it has more");
    }
  }

  /** At least one. */
  private static List<PredicateForm> forms(String text, String source) {
    requireSize(text.length(), "characters", source);
    String body = text.startsWith("\uFEFF") ? text.substring(1) : text;
    if (body.stripLeading().startsWith("<")) {
      return List.of(XmlForms.read(body, source));
    }
    List<PredicateForm> forms = YamlReader.read(body, source);
    if (forms.isEmpty()) {
      throw new Place(source, 1, 1).refusal("there is no predicate in this text");
    }
    return forms;
  }

  /** The source's base name with what a name must not hold replaced. */
  private static String nameOf(String source) {
    String base = source.substring(Math.max(source.lastIndexOf('/'), source.lastIndexOf('\\')) + 1);
    int dot = base.lastIndexOf('.');
    String name =
        (dot > 0 ? base.substring(0, dot) : base)
            .replaceAll("[^A-Za-z0-9._-]", "-")
            .replaceFirst("^[^A-Za-z0-9]+", "");
    return name.isEmpty() ? "predicate" : name.substring(0, Math.min(name.length(), 128));
  }
}
