package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code palinode export --violation ID --around}. */
class ExportAroundTest {
  private static final String AROUND =
      """
      {"from":"1","to":"9","complete":%s,"intervals":[
       {"term":1,"node":2,"incarnation":1,"sequence":16,"start":["990","995","1050"],"end":null,
        "writer":"client-9","member":null,"values":[
         {"store":"default","key":"cs_1_2_2","value":"1","version":"0c","role":null}]}]}""";

  /** Of the put that the witness has at node 1. */
  private static final String COPIES =
      """
      {"from":"1","to":"9","complete":true,"intervals":[
       {"term":0,"node":0,"incarnation":1,"sequence":7,"start":["1050","1000.3","980"],"end":null,
        "writer":"client-7","member":null,"values":[
         {"store":"default","key":"cs_1_2_1","value":"1","version":"0a1b","role":null}]},
       {"term":0,"node":2,"incarnation":1,"sequence":8,"start":["990","1000.3","1060"],"end":null,
        "writer":"client-7","member":null,"values":[
         {"store":"default","key":"cs_1_2_1","value":"1","version":"0a1b","role":null}]}]}""";

  private ApiStub api;

  @BeforeEach
  void start() throws IOException {
    api = new ApiStub();
    try (InputStream in = ExportAroundTest.class.getResourceAsStream("/witness/witness-v1.json")) {
      assertThat(in).isNotNull();
      String witness = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      api.answer("/api/v1/violations/1cf3058d/witness", witness);
    }
  }

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void otherIntervalsNearAViolationAreDrawnWithTheirClients() {
    api.answer("/api/v1/violations/1cf3058d/neighbourhood", AROUND.formatted("true"));
    assertThat(api.run("export", "--violation", "1cf3058d", "--around")).isZero();
    assertThat(api.out())
        .contains("term 0 holds: cs_1_2_1 = 1\nnode1 1000.3 {\"node1\":1, \"client-7\":1}\n")
        .contains("writes cs_1_2_2 = 1\nclient-9 - {\"client-9\":1}\n")
        .contains("nearby: term 1 holds, open to the end: cs_1_2_2 = 1\nnode2 1050 ");
    assertThat(api.err()).isEmpty();
    assertThat(api.run("export", "--violation", "1cf3058d")).isZero();
    assertThat(api.out().split("nearby", -1)).hasSize(2);
  }

  @Test
  void aPutThatSeveralReplicasAcceptedIsOneRequest() {
    api.answer("/api/v1/violations/1cf3058d/neighbourhood", COPIES);
    assertThat(api.run("export", "--violation", "1cf3058d", "--around")).isZero();
    assertThat(api.out()).containsOnlyOnce("writes cs_1_2_1 = 1\nclient-7 - {\"client-7\":1}\n");
    assertThat(api.out())
        .doesNotContain("\"client-7\":2")
        .contains("\nnode0 1050 ", "\nnode2 1060 ");
  }

  @Test
  void intervalsThatAreMissingAreNamed() {
    api.answer("/api/v1/violations/1cf3058d/neighbourhood", AROUND.formatted("false"));
    assertThat(api.run("export", "--violation", "1cf3058d", "--around")).isZero();
    assertThat(api.err()).contains("some intervals near it are missing");
  }
}
