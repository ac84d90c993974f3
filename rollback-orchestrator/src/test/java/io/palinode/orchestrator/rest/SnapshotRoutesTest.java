package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Snapshots and their schedule over the API. */
class SnapshotRoutesTest extends RestFixture {
  @Test
  void aSnapshotIsRequestedShownCancelledAndDeleted() throws Exception {
    HttpResponse<String> answer =
        send("POST", "/api/v1/snapshots", "{\"name\": \"one\", \"at\": \"12.7\", \"atOnce\": 1}");
    assertThat(answer.statusCode()).isEqualTo(202);
    JsonNode one = get("/api/v1/snapshots/one");
    assertThat(one.get("state").asText()).isEqualTo("taking");
    assertThat(one.get("kind").asText()).isEqualTo("retrospective");
    assertThat(one.get("at").asText()).isEqualTo("12.7");
    assertThat(one.get("nodes")).hasSize(2);
    assertThat(send("DELETE", "/api/v1/snapshots/one", "").statusCode()).isEqualTo(409);
    assertThat(send("POST", "/api/v1/snapshots/one/cancel", "").statusCode()).isEqualTo(202);
    assertThat(get("/api/v1/snapshots").get(0).get("state").asText()).isEqualTo("cancelled");
    assertThat(send("DELETE", "/api/v1/snapshots/one", "").statusCode()).isEqualTo(204);
    answer = send("GET", "/api/v1/snapshots/one", "");
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(error(answer)).isEqualTo("there is no snapshot 'one'");
  }

  @Test
  void aScheduleIsSetShownAndSwitchedOff() throws Exception {
    String schedule = "/api/v1/snapshot-schedule";
    assertThat(get(schedule).get("everySeconds").isNull()).isTrue();
    String wanted = "{\"everySeconds\": 600, \"keep\": 6, \"onViolation\": true}";
    assertThat(send("PUT", schedule, wanted).statusCode()).isEqualTo(202);
    assertThat(get(schedule).get("everySeconds").asLong()).isEqualTo(600);
    assertThat(get(schedule).get("keep").asInt()).isEqualTo(6);
    HttpResponse<String> answer = send("PUT", schedule, "{\"everySeconds\": 600, \"keep\": 0}");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(error(answer)).isEqualTo("the number of kept snapshots must be in [1, 100]: keep=0");
    assertThat(send("DELETE", schedule, "").statusCode()).isEqualTo(204);
    assertThat(get(schedule).get("onViolation").asBoolean()).isFalse();
  }

  @Test
  void anInvalidSnapshotRequestIsRefusedInOneSentence() throws Exception {
    for (Map.Entry<String, String> bad :
        Map.of(
                "{\"name\": \"../x\"}", "the name of a snapshot",
                "{\"at\": \"soon\"}", "-30s",
                "{\"nam\": \"x\"}", "'nam'",
                "[", "JSON",
                "null", "JSON object",
                "{\"rolling\": true}", "base",
                "{\"atOnce\": -1}", "at once")
            .entrySet()) {
      HttpResponse<String> answer = send("POST", "/api/v1/snapshots", bad.getKey());
      assertThat(answer.statusCode()).as(bad.getKey()).isEqualTo(400);
      assertThat(error(answer)).contains(bad.getValue());
    }
    HttpResponse<String> answer = send("POST", "/api/v1/snapshots", "{\"base\": \"none\"}");
    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(error(answer)).contains("'none'");
  }
}
