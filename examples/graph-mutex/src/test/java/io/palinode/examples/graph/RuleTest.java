package io.palinode.examples.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RuleTest {
  @ParameterizedTest
  @EnumSource
  void predicateShipsUnderItsName(Rule rule) {
    assertThat(rule.yaml())
        .contains("name: " + rule.predicate() + "\n")
        .contains("rollbackOn: possible")
        .contains("then: sequential")
        .doesNotContain("epsilon");
  }

  @Test
  void predicatesNameTheKeysThatTheClientsWrite() {
    Edge edge = new Edge(3, 7);
    for (Rule rule : Rule.values()) {
      String template = "cs_{a}_{b}_{end}";
      assertThat(rule.yaml()).contains("count: 2, distinct: end, of: {var: \"" + template + "\"");
      assertThat(template.replace("{a}", "3").replace("{b}", "7").replace("{end}", "7"))
          .isEqualTo(Keys.cs(edge, 7));
    }
    for (Rule rule : Rule.values()) {
      assertThat(rule.yaml())
          .contains("\"flag_{a}_{b}_{a}\", \"flag_{a}_{b}_{b}\", \"turn_{a}_{b}\"");
    }
    assertThat(Keys.flag(edge, 3)).isEqualTo("flag_3_7_3");
    assertThat(Keys.turn(edge)).isEqualTo("turn_3_7");
    assertThat(Rule.EDGE_MUTEX.yaml()).contains("equals: \"" + Keys.INSIDE + "\"");
    assertThat(Rule.PROPER_COLOURING.yaml()).contains("equals: \"c{k}\"");
    assertThat(Keys.published(5)).isEqualTo("c5");
  }

  @Test
  void paperXmlHasAClauseForEachEdge() {
    assertThat(PaperXml.edgeMutex(List.of(new Edge(1, 2), new Edge(1, 30))))
        .isEqualTo(
            """
            <predicate>
              <type>semilinear</type>
              <conjClause>
                <id>0</id>
                <var><name>cs_1_2_1</name><value>1</value></var>
                <var><name>cs_1_2_2</name><value>1</value></var>
              </conjClause>
              <conjClause>
                <id>1</id>
                <var><name>cs_1_30_1</name><value>1</value></var>
                <var><name>cs_1_30_30</name><value>1</value></var>
              </conjClause>
            </predicate>
            """);
  }

  @Test
  void shippedKarateXmlIsWhatTheWriterWrites() throws IOException {
    try (InputStream in = Rule.class.getResourceAsStream("karate-edge-mutex.xml")) {
      assertThat(new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo(PaperXml.edgeMutex(Graphs.parse("karate").edges()));
    }
  }
}
