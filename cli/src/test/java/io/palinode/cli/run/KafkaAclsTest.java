package io.palinode.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cli.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** The printed rights. SecuredPartsIT gives them to the parts. */
class KafkaAclsTest {
  @Test
  void onlyOrchestratorsMayDescribeTheClusterWhichHasNoName() {
    StringWriter out = new StringWriter();
    assertThat(Main.commandLine().setOut(new PrintWriter(out, true)).execute("kafka", "acls"))
        .isZero();
    assertThat(out.toString().lines().filter(line -> line.contains("--cluster")))
        .containsExactly(
            "kafka-acls.sh --bootstrap-server localhost:9092 --command-config admin.properties"
                + " --add --allow-principal User:palinode-orchestrator --operation Describe"
                + " --cluster");
  }
}
