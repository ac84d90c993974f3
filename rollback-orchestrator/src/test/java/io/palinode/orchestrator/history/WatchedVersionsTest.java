package io.palinode.orchestrator.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Detecting;
import io.palinode.wire.v1.NodeJoined;
import io.palinode.wire.v1.Watching;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WatchedVersionsTest {
  private final WatchedVersions watched = new WatchedVersions(2);

  @Test
  void allHaveItOnceEveryNodeAndEverySubtaskHasPublishedIt() {
    node(0, 1, 3);
    node(1, 1, 3);
    job(0, 2, 3);
    assertThat(watched.of("p").ofJob()).as("one subtask is silent").isNull();
    assertThat(watched.isConverged("p", 3)).isFalse();
    job(1, 2, 2);
    assertThat(watched.of("p").ofJob()).isEqualTo(2);
    assertThat(watched.isConverged("p", 3)).isFalse();
    job(1, 2, 3);
    assertThat(watched.isConverged("p", 3)).isTrue();
    assertThat(watched.isConverged("p", 4)).isFalse();
  }

  @Test
  void aRestartedNodeHasNoVersionUntilItPublishesOne() {
    node(0, 1, 3);
    join(0, 2);
    assertThat(watched.of("p").ofNodes()).isEmpty();
    node(0, 1, 3);
    assertThat(watched.of("p").ofNodes()).as("published late").isEmpty();
    node(0, 2, 3);
    join(0, 2);
    assertThat(watched.of("p").ofNodes()).isEqualTo(Map.of(0, 3L));
  }

  @Test
  void aJobOfAnotherParallelismPublishesAllAgain() {
    job(0, 1, 3);
    assertThat(watched.of("p").ofJob()).isEqualTo(3);
    job(0, 2, 3);
    assertThat(watched.of("p").ofJob()).isNull();
  }

  private void node(int node, long incarnation, long version) {
    Watching watching =
        Watching.newBuilder()
            .setNode(node)
            .setIncarnation(incarnation)
            .setPredicate("p")
            .setVersion(version)
            .build();
    watched.read(ControlRecord.newBuilder().setWatching(watching).build());
  }

  private void join(int node, long incarnation) {
    NodeJoined joined = NodeJoined.newBuilder().setNode(node).setIncarnation(incarnation).build();
    watched.read(ControlRecord.newBuilder().setNodeJoined(joined).build());
  }

  private void job(int subtask, int subtasks, long version) {
    watched.read(
        Detecting.newBuilder()
            .setPredicate("p")
            .setVersion(version)
            .setSubtask(subtask)
            .setSubtasks(subtasks)
            .build());
  }
}
