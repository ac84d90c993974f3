package io.palinode.agent;

import static io.palinode.agent.StandInServer.clock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.RestoreRefusedException;
import io.palinode.hvc.Hlc;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hints of undone writes, and the answers of an agent that is off. */
class AgentBindingTest {
  @TempDir private Path folder;
  private StandInServer server;
  private AgentBinding binding;
  private long then;

  @BeforeEach
  void open() {
    server = new StandInServer(folder);
    binding =
        new AgentBinding(server.node, server.hints::dropAfter, server.fuse::isBlown, () -> 0L);
    server.put("disk", "k", "a", clock(0, 1));
    then = server.node.clock().last().own();
  }

  @AfterEach
  void close() {
    server.close();
  }

  private long millisThen() {
    return Hlc.micros(then) / 1_000;
  }

  @Test
  void aRestoreDropsTheHintsOfItsStoresSinceItsTarget() {
    server.hint("before", "disk", millisThen() - 1);
    server.hint("since", "disk", millisThen());
    server.hint("memory", "memory", millisThen() + 5);
    server.hint("other", "unwatched", millisThen());
    binding.pause(1);
    binding.restore(1, 1, then);

    assertThat(server.get("slop", "before")).isNotEmpty();
    assertThat(server.get("slop", "since")).isEmpty();
    assertThat(server.get("slop", "memory")).isEmpty();
    assertThat(server.get("slop", "other")).isNotEmpty();
  }

  @Test
  void noHintIsTakenWhilePaused() {
    binding.pause(1);
    assertThatThrownBy(() -> server.hint("paused", "disk", millisThen()))
        .hasMessageContaining("is paused");
    binding.restore(1, 1, then);
    binding.resume(1, then, 0);
    server.hint("later", "disk", millisThen());
    assertThat(server.get("slop", "paused")).isEmpty();
    assertThat(server.get("slop", "later")).isNotEmpty();
  }

  @Test
  void aHintThatCameAfterTheRestoreGoesBeforeTheNodeServesAgain() {
    binding.pause(1);
    binding.restore(1, 1, then);
    server.own.run(() -> server.hint("slipped", "disk", millisThen()));
    binding.resume(1, then, 0);
    assertThat(server.get("slop", "slipped")).isEmpty();
  }

  @Test
  void whereNothingIsUndoneHintsStay() {
    server.hint("kept", "disk", millisThen());
    binding.pause(1);
    binding.keep(1, 1, then);
    binding.resume(1, then, 0);
    // Nor does a start do anything to them, which tells the last rollback anew.
    binding.resume(1, then, 0);
    assertThat(server.get("slop", "kept")).isNotEmpty();
  }

  @Test
  void anAgentThatIsOffAnswersThatNothingIsInReachAndRefusesByName() {
    server.fuse.blow("a test");
    server.put("disk", "k", "unheard", clock(0, 2));
    long quietSince = binding.pause(1);

    assertThat(binding.reach()).isGreaterThanOrEqualTo(quietSince).isGreaterThan(then);
    assertThatThrownBy(() -> binding.restore(1, 1, then))
        .isInstanceOf(RestoreRefusedException.class)
        .hasMessageContaining("the agent of node 0 has turned itself off");
    assertThat(server.get("disk", "k")).containsExactly("unheard");
  }

  @Test
  void anAgentThatIsOffKeepsNobodyFromGoingOn() {
    server.fuse.blow("a test");
    binding.pause(1);
    assertThat(binding.keep(1, 1, then).changed()).isEmpty();
    assertThat(binding.merge(java.util.List.of())).isZero();
    binding.resume(1, then, 0);
    assertThat(server.node.fence().paused()).isFalse();
  }
}
