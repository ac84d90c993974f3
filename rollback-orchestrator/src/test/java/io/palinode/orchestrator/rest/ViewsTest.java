package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** A client reads what the server writes, with no field missing and none lost. */
class ViewsTest extends RestFixture {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES);

  @Test
  void whatIsReadIsWrittenAlike() throws Exception {
    assertSame("/api/v1/status", Views.StatusView.class);
    assertSame("/api/v1/violations", Views.ViolationView[].class);
    assertSame("/api/v1/rollbacks", Views.RollbackView[].class);
    assertSame("/api/v1/snapshots", SnapshotView[].class);
    assertSame("/api/v1/snapshot-schedule", ScheduleView.class);
  }

  @Test
  void aRollbackIsReadWithItsNodes() throws Exception {
    String epoch = get("/api/v1/rollbacks").get(0).get("epoch").asText();
    assertSame("/api/v1/rollbacks/" + epoch, OneRollbackView.class);
  }

  private void assertSame(String path, Class<?> view) throws Exception {
    JsonNode answer = get(path);
    assertThat(JSON.writeValueAsString(JSON.treeToValue(answer, view)))
        .isEqualTo(answer.toString());
  }
}
