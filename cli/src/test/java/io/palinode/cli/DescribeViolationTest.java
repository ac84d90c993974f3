package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code palinode describe violation} of an API whose nodes do not answer. */
class DescribeViolationTest {
  private static final String VIOLATION =
      """
      {"id":"0123456789ab","predicate":"edge mutex","predicateVersion":3,"binding":"a=1,b=2",
       "clause":0,"grade":"definite","meaning":"definite: both held","first":"1795262400000000","violate":"1795262400500000.7",
       "ended":"1795262401000000",
       "epoch":4,"lastEpoch":4,"detectedMicros":1795262401000000,"receivedMicros":1795262401000000,
       "latencyMs":1.5,"outcome":"rollback","outcomeBy":null,"phantom":false,"witnesses":[
       {"term":0,"node":0,"incarnation":1,"sequence":5,"start":["1795262400000000","0"],
        "end":["1795262401000000","0"],"writer":"alice",
        "values":[{"store":"default","key":"cs_1","value":"1","version":"0c","role":null}],"member":null},
       {"term":1,"node":1,"incarnation":1,"sequence":6,"start":["0","1795262400500000.7"],
        "end":null,"writer":"bob",
        "values":[{"store":"default","key":"cs_2","value":"2","version":"0d","role":null}],"member":null}]}""";

  private static final String ROLLBACKS =
      """
      [{"epoch":6,"state":"resumed","target":"7","violationIds":["another"]},
       {"epoch":5,"state":"resumed","target":"1795262399999999",
        "violationIds":["another","0123456789ab"]}]""";

  private ApiStub api;

  @BeforeEach
  void start() throws IOException {
    api = new ApiStub();
    api.answer("/api/v1/violations/0123456789", VIOLATION);
    api.answer("/api/v1/rollbacks", ROLLBACKS);
  }

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void oneScreenHasItsTimesItsRollbackItsKeysAndItsClients() {
    assertThat(run("table")).isZero();
    assertThat(api.out())
        .contains("violation   0123456789ab\n")
        .contains("predicate   edge mutex version 3, clause 0\n")
        .contains("binding     a=1,b=2\n")
        .contains("grade       definite: it occurred, even if clocks differ\n")
        .contains("meaning     definite: both held\n")
        .contains("outcome     rollback: its rollback waits, is open, or is done\n")
        .contains("all held    2026-11-21T12:00:00.500000Z.7 (")
        .contains("ended       2026-11-21T12:00:01.000000Z (")
        .contains("rollback    5: resumed, target 2026-11-21T11:59:59.999999Z (")
        .containsPattern("0 +alice +default +cs_1 +1 +2026-11-21T12:00:00.000000Z +2026-")
        .containsPattern("1 +bob +default +cs_2 +2 +2026-11-21T12:00:00.500000Z.7 +no end known")
        .contains("values      not known: ");
    assertThat(api.asked()).containsExactly("limit=10000&predicate=edge%20mutex");
  }

  @Test
  void withJsonTheAnswersAreWhole() throws IOException {
    assertThat(run("json")).isZero();
    JsonNode all = new ObjectMapper().readTree(api.out());
    assertThat(all.get("violation")).isEqualTo(new ObjectMapper().readTree(VIOLATION));
    assertThat(all.get("rollback").get("epoch").asInt()).isEqualTo(5);
    assertThat(all.get("cuts").get("why").asText()).isNotBlank();
  }

  private int run(String format) {
    return api.run(
        "describe", "violation", "0123456789", "-o", format, "--bootstrap", "127.0.0.1:1");
  }
}
