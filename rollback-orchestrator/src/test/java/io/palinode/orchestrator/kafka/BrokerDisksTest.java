package io.palinode.orchestrator.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.orchestrator.health.Finding;
import io.palinode.orchestrator.kafka.doctor.Examination;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The disks of a real broker. */
@Timeout(120)
class BrokerDisksTest {
  @TempDir private Path folder;

  @Test
  void aDiskThatMayNotBeReadIsNoted() throws Exception {
    try (TestBroker broker =
        TestBroker.start(
            folder,
            Map.of(
                "authorizer.class.name",
                "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "allow.everyone.if.no.acl.found",
                "true"))) {
      KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
      assertThat(disk(kafka).what()).contains("free on its disk");
      try (Admin admin = kafka.newAdmin("test")) {
        admin
            .createAcls(
                List.of(
                    ofCluster(AclOperation.ALL, AclPermissionType.ALLOW),
                    ofCluster(AclOperation.DESCRIBE, AclPermissionType.DENY)))
            .all()
            .get();
      }
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> {
                assertThat(disk(kafka).level()).isEqualTo(Finding.Level.NOTE);
                assertThat(disk(kafka).fix()).contains("palinode kafka acls");
              });
    }
  }

  private static AclBinding ofCluster(AclOperation operation, AclPermissionType permission) {
    return new AclBinding(
        new ResourcePattern(ResourceType.CLUSTER, Resource.CLUSTER_NAME, PatternType.LITERAL),
        new AccessControlEntry("User:ANONYMOUS", "*", operation, permission));
  }

  private static Finding disk(KafkaSettings kafka) {
    List<Finding> found = Examination.kafka(kafka, Topics.DEFAULT);
    assertThat(found).filteredOn(finding -> finding.part().equals("broker 1")).hasSize(1);
    return found.get(found.size() - 1);
  }
}
