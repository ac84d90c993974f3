package io.palinode.orchestrator.alert;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.orchestrator.Alert;
import io.palinode.predicate.OnViolation;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The bodies of alerts, byte for byte as receivers expect them: {@code resources/alerts}. */
class FormatTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long START = 1_764_192_000_250_000L;
  private static final Format.About ABOUT =
      new Format.About(new Links("http://127.0.0.1:6766"), START + 1_000_000);

  private static final Alert FIRING =
      new Alert(
          Alert.Kind.VIOLATION,
          Map.of("predicate", "mutex", "binding", "", "clause", "0", "violation", "5d1f"),
          Map.of(
              "summary",
              "predicate mutex was violated",
              "description",
              "Node 1 since 2025-11-26T21:20:00.250Z: key cs_1 of store s is '<1>', written by"
                  + " client 7.",
              "grade",
              "definite",
              "meaning",
              "definite: term 1 on node 1 began at 2025-11-26T21:20:00.250000Z, and it alone makes"
                  + " the clause true"),
          List.of(),
          START);

  private static final Alert ENDED = FIRING.endedAt(START + 90_500_000);

  @ParameterizedTest
  @EnumSource(Format.class)
  void theBodyIsTheGoldenOne(Format format) throws IOException {
    JsonNode golden = golden(format);
    assertThat(body(format, FIRING)).isEqualTo(golden.get("firing"));
    assertThat(body(format, ENDED)).isEqualTo(golden.get("ended"));
  }

  @Test
  void aBatchOfAllButCloudEventsIsOneBody() throws IOException {
    JsonNode webhook = JSON.readTree(Format.WEBHOOK.body(List.of(ENDED, FIRING), ABOUT));
    assertThat(webhook.get("status").asText()).as("one of both is firing").isEqualTo("firing");
    assertThat(webhook.get("alerts")).hasSize(2);
    assertThat(JSON.readTree(Format.ALERTMANAGER.body(List.of(ENDED, FIRING), ABOUT))).hasSize(2);
    JsonNode slack = JSON.readTree(Format.SLACK.body(List.of(ENDED, FIRING), ABOUT));
    assertThat(slack.get("attachments")).hasSize(2);
    assertThat(Format.CLOUDEVENTS.batchMax()).isEqualTo(1);
  }

  @Test
  void twoEventsOfOneCauseHaveDifferentIdsAndARepeatedPostHasTheSame() throws IOException {
    String first = body(Format.CLOUDEVENTS, FIRING).get("id").asText();
    assertThat(body(Format.CLOUDEVENTS, FIRING.annotated("grade", "possible")).get("id").asText())
        .isNotEqualTo(first);
    assertThat(body(Format.CLOUDEVENTS, ENDED).get("id").asText()).isNotEqualTo(first);
    assertThat(body(Format.CLOUDEVENTS, FIRING).get("id").asText()).isEqualTo(first);
  }

  @Test
  void eachFormatIsAWordOfDestinations() {
    List<String> words = new ArrayList<>(OnViolation.ALERT_FORMATS);
    words.add("kafka");
    assertThat(Arrays.stream(Format.values()).map(Format::word)).containsExactlyElementsOf(words);
    assertThat(Destination.of("kafka:a.b_c-1").shown()).isEqualTo("kafka:a.b_c-1");
    assertThat(Destination.of("alertmanager:http://h:9093/prefix/").endpoint())
        .isEqualTo(URI.create("http://h:9093/prefix/api/v2/alerts"));
    assertThat(Destination.of("slack:https://h/secret").shown()).isEqualTo("slack:h");
  }

  private static JsonNode body(Format format, Alert alert) throws IOException {
    return JSON.readTree(format.body(List.of(alert), ABOUT));
  }

  private static JsonNode golden(Format format) throws IOException {
    String file = (format == Format.KAFKA ? Format.CLOUDEVENTS : format).word();
    try (InputStream stream = FormatTest.class.getResourceAsStream("/alerts/" + file + ".json")) {
      return JSON.readTree(stream);
    }
  }
}
