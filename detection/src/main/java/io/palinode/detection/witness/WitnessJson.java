package io.palinode.detection.witness;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Role;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A witness as a file.
 *
 * <pre>
 * { "apiVersion": "palinode.io/v1", "kind": "Witness",
 *   "id": …,
 *   "predicate": { "name": …, "version": 3, "yaml": … },
 *   "binding": "a=1,b=2", "clause": 0,
 *   "rules": { "epsilon": "10ms", "uncertainty": "conservative", "replicas": "first" },
 *   "grade": "possible", "first": "1000.3", "violate": "1010",
 *   "meaning": "possible: term 1 on node 2 began at …",     see WitnessMeaning; absent in old files
 *   "epoch": 4, "detectedMicros": 1020,
 *   "intervals": [
 *     { "term": 0, "node": 1, "incarnation": 1, "sequence": 5,
 *       "member": "client=7",                     with distinct only
 *       "start": ["990", "1000.3", "980"],        one timestamp a node, see Hlc
 *       "endNode": 1, "end": ["990", "1200", "980"],     both absent while it is open
 *       "writer": "client-7",
 *       "values": [ { "store": "default", "key": "x1", "value": "1", "version": "0a1b" } ] } ],
 *   "digest": "sha256:…" }                         see WitnessDigest
 * </pre>
 *
 * The order of fields and the space between them say nothing. Every other field is refused, and so
 * is another way to write the same value: two files that are read alike say the same.
 */
public final class WitnessJson {
  static final String API_VERSION = "palinode.io/v1";
  static final String KIND = "Witness";

  private final JsonGenerator json;

  private WitnessJson(JsonGenerator json) {
    this.json = json;
  }

  /** Throws {@link WitnessFormatException} for what is no witness; {@code source} names it. */
  public static PortableWitness read(String text, String source) throws WitnessFormatException {
    return WitnessReader.read(text, source);
  }

  /** Indented, with a line break at the end; {@link #read} is the inverse. */
  public static String write(PortableWitness witness) {
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = JsonFactory.builder().build().createGenerator(text)) {
      DefaultPrettyPrinter indented =
          new DefaultPrettyPrinter(
                  Separators.createDefaultInstance()
                      .withObjectFieldValueSpacing(Separators.Spacing.AFTER))
              .withObjectIndenter(new DefaultIndenter("  ", "\n"));
      generator.setPrettyPrinter(indented);
      new WitnessJson(generator).document(witness);
    } catch (IOException e) {
      throw new UncheckedIOException("a text in memory must be writable", e);
    }
    return text.append('\n').toString();
  }

  private void document(PortableWitness witness) throws IOException {
    json.writeStartObject();
    json.writeStringField("apiVersion", API_VERSION);
    json.writeStringField("kind", KIND);
    json.writeStringField("id", witness.finding().id());
    json.writeObjectFieldStart("predicate");
    json.writeStringField("name", witness.subject().predicate());
    json.writeNumberField("version", witness.subject().version());
    json.writeStringField("yaml", witness.subject().yaml());
    json.writeEndObject();
    json.writeStringField("binding", witness.subject().binding());
    json.writeNumberField("clause", witness.subject().clause());
    json.writeObjectFieldStart("rules");
    json.writeStringField("epsilon", witness.rules().epsilon().toString());
    json.writeStringField("uncertainty", lowerCase(witness.rules().uncertainty()));
    json.writeStringField("replicas", lowerCase(witness.rules().replicas()));
    json.writeEndObject();
    found(witness);
    json.writeArrayFieldStart("intervals");
    for (HeldInterval interval : witness.intervals()) {
      interval(interval);
    }
    json.writeEndArray();
    json.writeStringField("digest", witness.digest());
    json.writeEndObject();
  }

  private void found(PortableWitness witness) throws IOException {
    json.writeStringField("grade", lowerCase(witness.finding().grade()));
    json.writeStringField("first", Hlc.format(witness.finding().first()));
    json.writeStringField("violate", Hlc.format(witness.finding().violate()));
    @Nullable String meaning = witness.finding().meaning();
    if (meaning != null) {
      json.writeStringField("meaning", meaning);
    }
    json.writeNumberField("epoch", witness.circumstance().epoch());
    json.writeNumberField("detectedMicros", witness.circumstance().detectedMicros());
  }

  private void interval(HeldInterval interval) throws IOException {
    json.writeStartObject();
    json.writeNumberField("term", interval.term());
    json.writeNumberField("node", interval.id().node());
    json.writeNumberField("incarnation", interval.id().incarnation());
    json.writeNumberField("sequence", interval.id().sequence());
    if (!interval.member().isEmpty()) {
      json.writeStringField("member", interval.member());
    }
    clock("start", interval.start());
    @Nullable Hvc end = interval.end();
    if (end != null) {
      json.writeNumberField("endNode", end.owner());
      clock("end", end);
    }
    json.writeStringField("writer", interval.writer());
    json.writeArrayFieldStart("values");
    for (HeldValue value : interval.values()) {
      json.writeStartObject();
      json.writeStringField("store", value.store());
      json.writeStringField("key", value.key());
      json.writeStringField("value", value.value());
      json.writeStringField("version", value.version());
      if (value.role() != Role.HOLDS) {
        json.writeStringField("role", lowerCase(value.role()));
      }
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void clock(String name, Hvc clock) throws IOException {
    json.writeArrayFieldStart(name);
    for (int node = 0; node < clock.nodes(); node++) {
      json.writeString(Hlc.format(clock.get(node)));
    }
    json.writeEndArray();
  }

  private static String lowerCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
