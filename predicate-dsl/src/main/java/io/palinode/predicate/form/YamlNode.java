package io.palinode.predicate.form;

import io.palinode.predicate.text.Place;
import io.palinode.predicate.text.Text;
import io.palinode.predicate.text.Vocabulary;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A YAML document with places. A scalar is the text as it was written, whatever its YAML type. */
sealed interface YamlNode {
  Place place();

  /** How errors call it. */
  String kind();

  record Scalar(@Nullable String value, Place place) implements YamlNode {
    @Override
    public String kind() {
      return value == null ? "nothing" : "'" + value + "'";
    }
  }

  record Sequence(List<YamlNode> items, Place place) implements YamlNode {
    @Override
    public String kind() {
      return "a list";
    }
  }

  /** {@code fields} in the order of the text. */
  record Mapping(Map<String, Field> fields, Place place) implements YamlNode {
    @Override
    public String kind() {
      return "a mapping";
    }

    /** Refuses a field that {@code vocabulary} does not know. */
    Mapping with(Vocabulary vocabulary) {
      fields.values().forEach(field -> vocabulary.require(field.name()));
      return this;
    }

    @Nullable Text text(String field) {
      Field found = fields.get(field);
      return found == null ? null : found.value().asText(field);
    }

    @Nullable Mapping mapping(String field) {
      Field found = fields.get(field);
      return found == null ? null : found.value().asMapping(field);
    }

    @Nullable List<YamlNode> items(String field) {
      Field found = fields.get(field);
      return found == null ? null : found.value().asItems(field);
    }

    @Nullable List<Text> texts(String field) {
      List<YamlNode> items = items(field);
      return items == null ? null : items.stream().map(item -> item.asText(field)).toList();
    }
  }

  record Field(Text name, YamlNode value) {}

  default Text asText(String what) {
    if (this instanceof Scalar scalar && scalar.value() != null) {
      return new Text(scalar.value(), scalar.place());
    }
    throw place().refusal(what + " must be text: found " + kind());
  }

  default Mapping asMapping(String what) {
    if (this instanceof Mapping mapping) {
      return mapping;
    }
    throw place().refusal(what + " must be a mapping: found " + kind());
  }

  default List<YamlNode> asItems(String what) {
    if (this instanceof Sequence sequence) {
      return sequence.items();
    }
    throw place().refusal(what + " must be a list: found " + kind());
  }
}
