package io.palinode.detection.witness;

import io.palinode.detection.CandidateId;
import io.palinode.detection.witness.PortableWitness.Circumstance;
import io.palinode.detection.witness.PortableWitness.Finding;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Role;
import io.palinode.detection.witness.PortableWitness.Rules;
import io.palinode.detection.witness.PortableWitness.Subject;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ReplicaRule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads {@link WitnessJson}. One object of the text at a time; every field is asked for once. */
final class WitnessReader {
  private final String source;
  private final JsonField object;
  private final Map<String, JsonField> fields;
  private final Set<String> asked = new HashSet<>();

  private WitnessReader(String source, JsonField object) throws WitnessFormatException {
    this.source = source;
    this.object = object;
    this.fields = fieldsOf(object);
  }

  static PortableWitness read(String text, String source) throws WitnessFormatException {
    WitnessReader reader = new WitnessReader(source, JsonField.parse(text, source));
    reader.requireFormat();
    PortableWitness witness = reader.witness();
    reader.requireNothingElse();
    return witness;
  }

  private void requireFormat() throws WitnessFormatException {
    for (String[] fixed :
        new String[][] {{"apiVersion", WitnessJson.API_VERSION}, {"kind", WitnessJson.KIND}}) {
      if (!text(fixed[0]).equals(fixed[1])) {
        throw refusal(field(fixed[0]), "must be '" + fixed[1] + "', of another this cannot judge");
      }
    }
  }

  private PortableWitness witness() throws WitnessFormatException {
    WitnessReader predicate = inner("predicate");
    Subject subject =
        new Subject(
            predicate.text("name"),
            predicate.number("version"),
            predicate.text("yaml"),
            text("binding"),
            small("clause"));
    predicate.requireNothingElse();
    WitnessReader rules = inner("rules");
    Rules by =
        new Rules(
            rules.written("epsilon", Epsilon::parse, Epsilon::toString),
            rules.constant("uncertainty", Uncertainty.values()),
            rules.constant("replicas", ReplicaRule.values()));
    rules.requireNothingElse();
    Finding finding =
        new Finding(
            text("id"),
            constant("grade", Grade.values()),
            written("first", Hlc::parse, Hlc::format),
            written("violate", Hlc::parse, Hlc::format),
            fields.containsKey("meaning") ? text("meaning") : null);
    Circumstance circumstance = new Circumstance(number("epoch"), number("detectedMicros"));
    return new PortableWitness(subject, by, finding, circumstance, intervals(), text("digest"));
  }

  private List<HeldInterval> intervals() throws WitnessFormatException {
    List<HeldInterval> intervals = new ArrayList<>();
    for (JsonField element : elements("intervals")) {
      WitnessReader interval = new WitnessReader(source, element);
      intervals.add(interval.interval());
      interval.requireNothingElse();
    }
    if (intervals.isEmpty()) {
      throw refusal(field("intervals"), "must hold at least one");
    }
    return intervals;
  }

  private HeldInterval interval() throws WitnessFormatException {
    CandidateId id = new CandidateId(small("node"), number("incarnation"), number("sequence"));
    return new HeldInterval(
        small("term"), id, clock("start", id.node()), end(), text("writer"), values(), member());
  }

  /** Absent and empty are the same, so only absent is accepted. */
  private String member() throws WitnessFormatException {
    if (!fields.containsKey("member")) {
      return "";
    }
    String member = text("member");
    if (member.isEmpty()) {
      throw refusal(field("member"), "must be absent if it is empty");
    }
    return member;
  }

  private @Nullable Hvc end() throws WitnessFormatException {
    boolean ended = fields.containsKey("endNode") || fields.containsKey("end");
    return ended ? clock("end", small("endNode")) : null;
  }

  private List<HeldValue> values() throws WitnessFormatException {
    List<HeldValue> values = new ArrayList<>();
    for (JsonField element : elements("values")) {
      WitnessReader value = new WitnessReader(source, element);
      values.add(
          new HeldValue(
              value.text("store"),
              value.text("key"),
              value.text("value"),
              value.text("version"),
              value.role()));
      value.requireNothingElse();
    }
    return values;
  }

  /** As for a member: only absent is accepted for the usual one. */
  private Role role() throws WitnessFormatException {
    if (!fields.containsKey("role")) {
      return Role.HOLDS;
    }
    Role role = constant("role", Role.values());
    if (role == Role.HOLDS) {
      throw refusal(field("role"), "must be absent if the value holds");
    }
    return role;
  }

  private Hvc clock(String name, int owner) throws WitnessFormatException {
    List<JsonField> elements = elements(name);
    long[] entries = new long[elements.size()];
    for (int node = 0; node < entries.length; node++) {
      entries[node] = written(elements.get(node), Hlc::parse, Hlc::format);
    }
    try {
      return Hvc.of(owner, entries);
    } catch (IllegalArgumentException e) {
      throw refusal(field(name), "is no clock of node " + owner + ": " + e.getMessage());
    }
  }

  private WitnessReader inner(String name) throws WitnessFormatException {
    return new WitnessReader(source, field(name));
  }

  @SuppressWarnings("unchecked") // JsonField says what a list holds.
  private List<JsonField> elements(String name) throws WitnessFormatException {
    JsonField field = field(name);
    if (field.value() instanceof List<?> elements) {
      return (List<JsonField>) elements;
    }
    throw refusal(field, "must be a list");
  }

  @SuppressWarnings("unchecked") // JsonField says what a map holds.
  private Map<String, JsonField> fieldsOf(JsonField field) throws WitnessFormatException {
    if (field.value() instanceof Map<?, ?> inner) {
      return (Map<String, JsonField>) inner;
    }
    throw refusal(field, "must be an object");
  }

  private <E extends Enum<E>> E constant(String name, E[] constants) throws WitnessFormatException {
    String text = text(name);
    List<String> words = new ArrayList<>();
    for (E constant : constants) {
      String word = constant.name().toLowerCase(Locale.ROOT);
      if (word.equals(text)) {
        return constant;
      }
      words.add(word);
    }
    throw refusal(field(name), "must be one of " + String.join(", ", words) + ": '" + text + "'");
  }

  private <T> T written(String name, Function<String, T> parse, Function<T, String> format)
      throws WitnessFormatException {
    return written(field(name), parse, format);
  }

  private <T> T written(JsonField field, Function<String, T> parse, Function<T, String> format)
      throws WitnessFormatException {
    String text = textOf(field);
    T value;
    try {
      value = parse.apply(text);
    } catch (IllegalArgumentException e) {
      throw refusal(field, "is not readable: " + e.getMessage());
    }
    if (!format.apply(value).equals(text)) {
      throw refusal(field, "must be written '" + format.apply(value) + "': '" + text + "'");
    }
    return value;
  }

  private String text(String name) throws WitnessFormatException {
    return textOf(field(name));
  }

  private String textOf(JsonField field) throws WitnessFormatException {
    if (field.value() instanceof String text) {
      return text;
    }
    throw refusal(field, "must be a text");
  }

  private long number(String name) throws WitnessFormatException {
    JsonField field = field(name);
    if (field.value() instanceof Long number && number >= 0) {
      return number;
    }
    throw refusal(field, "must be a whole number from 0: " + field.value());
  }

  private int small(String name) throws WitnessFormatException {
    long number = number(name);
    if (number > Integer.MAX_VALUE) {
      throw refusal(field(name), "must be at most " + Integer.MAX_VALUE + ": " + number);
    }
    return (int) number;
  }

  private JsonField field(String name) throws WitnessFormatException {
    JsonField field = fields.get(name);
    asked.add(name);
    if (field == null) {
      throw refusal(object, "must have the field '" + name + "'");
    }
    return field;
  }

  private void requireNothingElse() throws WitnessFormatException {
    for (Map.Entry<String, JsonField> field : fields.entrySet()) {
      if (!asked.contains(field.getKey())) {
        throw refusal(field.getValue(), "is no field of a witness");
      }
    }
  }

  private WitnessFormatException refusal(JsonField field, String reason) {
    return new WitnessFormatException(source, field, reason);
  }
}
