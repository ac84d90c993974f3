package io.palinode.detection.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The file: its golden form, what is refused, and that nothing in it can be altered unseen. */
class WitnessJsonTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void theFormOfVersionOneStays() throws Exception {
    assertThat(WitnessJson.write(Example.witness())).isEqualTo(golden());
    assertThat(WitnessJson.read(golden(), "golden")).isEqualTo(Example.witness());
  }

  @Test
  void theLayoutOfTheFileSaysNothing() throws Exception {
    String dense = JSON.readTree(golden()).toString();
    assertThat(WitnessCheck.check(WitnessJson.read(dense, "dense"))).isEmpty();
  }

  @Test
  void noFieldNoEntryAndNoNameCanBeAlteredUnseen() throws Exception {
    List<JsonPointer> leaves = new ArrayList<>();
    collect(JSON.readTree(golden()), JsonPointer.empty(), leaves);
    assertThat(leaves).hasSizeGreaterThan(45);
    for (JsonPointer leaf : leaves) {
      for (JsonNode other : alterations(JSON.readTree(golden()).at(leaf))) {
        JsonNode altered = JSON.readTree(golden());
        set(altered, leaf, other);
        assertSeen(altered, leaf + " = " + other);
      }
    }
  }

  @Test
  void noFieldAndNoElementCanBeTakenAwayUnseen() throws Exception {
    List<JsonPointer> all = new ArrayList<>();
    collectAll(JSON.readTree(golden()), JsonPointer.empty(), all);
    for (JsonPointer place : all) {
      JsonNode altered = JSON.readTree(golden());
      remove(altered, place);
      assertSeen(altered, "without " + place);
    }
  }

  @Test
  void theSentenceOfTheGradeIsReadAndCannotBeAlteredUnseen() throws Exception {
    PortableWitness explained = Example.witness().explained();
    assertThat(explained.finding().meaning()).startsWith("possible: term 1 on node 2 began at ");
    String file = WitnessJson.write(explained);
    assertThat(WitnessJson.read(file, "explained")).isEqualTo(explained);
    assertThat(WitnessCheck.check(explained)).isEmpty();
    JsonNode altered = JSON.readTree(file.replace("both may have held", "both held"));
    assertSeen(altered, "another sentence");
    ((ObjectNode) altered).remove("meaning");
    assertSeen(altered, "without a sentence");
  }

  @Test
  void anIntervalCannotBeMadeOpenUnseen() throws Exception {
    for (int interval = 0; interval < 2; interval++) {
      JsonNode altered = JSON.readTree(golden());
      ((ObjectNode) altered.at("/intervals/" + interval)).remove(List.of("end", "endNode"));
      assertSeen(altered, "open " + interval);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"kind\": \"Witness\"|\"kind\": \"Other\"|w.json:3:11: kind must be 'Witness'",
        "\"sequence\": 5|\"seq\": 5|must have the field 'sequence'",
        "\"epoch\": 4|\"epoch\": 4, \"x\": 1|w.json:20:20: x is no field of a witness",
        "\"980\"|\"1000.9999\"|intervals[0].start[2] is not readable",
        "\"1200\"|\"1200.0\"|intervals[0].end[1] must be written '1200'",
        "\"10ms\"|\"10000us\"|rules.epsilon must be written '10ms'",
        "\"node\": 1|\"node\": 9|intervals[0].start is no clock of node 9",
        "\"term\": 0|\"term\": -1|intervals[0].term must be a whole number",
        "\"clause\": 0|\"clause\": 0, \"clause\": 0|Duplicate field 'clause'",
        "\"possible\"|\"probable\"|grade must be one of uncertain, possible, definite: 'probable'",
        "\"binding\": |\"binding\": 1.5 |must be a text or a whole number",
      })
  void whatIsNoWitnessIsRefusedWithItsPlace(String part, String by, String reason)
      throws IOException {
    String text = golden().replaceFirst(java.util.regex.Pattern.quote(part), by);
    assertThat(text).isNotEqualTo(golden());
    assertThatThrownBy(() -> WitnessJson.read(text, "w.json"))
        .isInstanceOf(WitnessFormatException.class)
        .hasMessageStartingWith("w.json:")
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"''", "{", "[]", "null", "1", "{} {}", "[[[[[[[[[[[["})
  void whatIsNotEvenAnObjectIsRefused(String text) {
    assertThatThrownBy(() -> WitnessJson.read(text, "w.json"))
        .isInstanceOf(WitnessFormatException.class)
        .hasMessageStartingWith("w.json:1:");
  }

  private static void assertSeen(JsonNode altered, String how) {
    PortableWitness read;
    try {
      read = WitnessJson.read(altered.toPrettyString(), "altered");
    } catch (WitnessFormatException seen) {
      return;
    }
    assertThat(WitnessCheck.check(read)).as(how).isNotEmpty();
  }

  private static List<JsonNode> alterations(JsonNode leaf) {
    if (leaf.isIntegralNumber()) {
      return List.of(LongNode.valueOf(leaf.longValue() + 1), IntNode.valueOf(7_777));
    }
    String text = leaf.textValue();
    List<JsonNode> others = new ArrayList<>();
    others.add(TextNode.valueOf(text + "0"));
    others.add(TextNode.valueOf(text + " "));
    others.add(TextNode.valueOf(""));
    if (text.matches("\\d+(\\.\\d+)?")) {
      others.add(TextNode.valueOf(text.contains(".") ? text + "1" : text + ".1"));
      others.add(TextNode.valueOf("0" + text));
    }
    if (!text.isEmpty()) {
      char last = text.charAt(text.length() - 1);
      others.add(TextNode.valueOf(text.substring(0, text.length() - 1) + (char) (last ^ 1)));
    }
    others.removeIf(leaf::equals);
    return others;
  }

  private static void collect(JsonNode node, JsonPointer at, List<JsonPointer> leaves) {
    if (node.isValueNode()) {
      leaves.add(at);
    }
    inner(node, at).forEach(inner -> collect(node.at(relative(at, inner)), inner, leaves));
  }

  private static void collectAll(JsonNode node, JsonPointer at, List<JsonPointer> all) {
    for (JsonPointer inner : inner(node, at)) {
      all.add(inner);
      collectAll(node.at(relative(at, inner)), inner, all);
    }
  }

  private static List<JsonPointer> inner(JsonNode node, JsonPointer at) {
    List<JsonPointer> inner = new ArrayList<>();
    node.fieldNames().forEachRemaining(name -> inner.add(at.appendProperty(name)));
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      inner.add(at.appendIndex(i));
    }
    return inner;
  }

  private static JsonPointer relative(JsonPointer outer, JsonPointer inner) {
    return JsonPointer.compile(inner.toString().substring(outer.toString().length()));
  }

  private static void set(JsonNode document, JsonPointer at, JsonNode value) {
    JsonNode outer = document.at(at.head());
    JsonPointer last = at.last();
    if (outer instanceof ArrayNode array) {
      array.set(last.getMatchingIndex(), value);
    } else {
      ((ObjectNode) outer).set(last.getMatchingProperty(), value);
    }
  }

  private static void remove(JsonNode document, JsonPointer at) {
    JsonNode outer = document.at(at.head());
    JsonPointer last = at.last();
    if (outer instanceof ArrayNode array) {
      array.remove(last.getMatchingIndex());
    } else {
      ((ObjectNode) outer).remove(last.getMatchingProperty());
    }
  }

  private static String golden() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            WitnessJsonTest.class.getResourceAsStream("/witness/witness-v1.json"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
