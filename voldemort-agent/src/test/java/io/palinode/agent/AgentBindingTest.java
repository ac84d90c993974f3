package io.palinode.agent;

import static io.palinode.agent.stock.StandInServer.clock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.agent.stock.StandInServer;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.binding.WriteFeed.WriteListener;
import io.palinode.hvc.Hlc;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.binding.UndoLog.Restoration;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hints of undone writes, and the answers of an agent that is off. */
class AgentBindingTest {
  @TempDir private Path folder;
  private StandInServer server;
  private AgentBinding binding;
  private final AtomicLong missedAt = new AtomicLong();
  private long then;

  @BeforeEach
  void open() {
    server = new StandInServer(folder);
    binding =
        new AgentBinding(server.node, server.hints::dropAfter, server.fuse::isBlown, missedAt::get);
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
    // Nor does a start, which repeats the last rollback.
    binding.resume(1, then, 0);
    assertThat(server.get("slop", "kept")).isNotEmpty();
  }

  @Test
  void anAgentThatIsOffAnswersThatNothingIsInReachAndRefusesByName() {
    server.fuse.blow("a test");
    server.put("disk", "k", "unobserved", clock(0, 2));
    long quietSince = binding.pause(1);

    assertThat(binding.reach()).isGreaterThanOrEqualTo(quietSince).isGreaterThan(then);
    assertThatThrownBy(() -> binding.restore(1, 1, then))
        .isInstanceOf(RestoreRefusedException.class)
        .hasMessageContaining("the agent of node 0 has turned itself off");
    assertThat(server.get("disk", "k")).containsExactly("unobserved");
  }

  @Test
  void aMissedWriteIsReportedToTheCurrentListener() {
    AtomicInteger missed = new AtomicInteger();
    binding.listen(event -> {});
    binding.listen(
        new WriteListener() {
          @Override
          public void written(WriteEvent event) {}

          @Override
          public void missedWrite() {
            missed.incrementAndGet();
          }
        });
    server.node.hosted().missed();
    assertThat(missed).hasValue(1);
    assertThat(binding.passesEveryWrite()).isTrue();
    server.fuse.blow("a test");
    assertThat(binding.passesEveryWrite()).as("before any report").isFalse();
  }

  @Test
  void anAgentThatIsOffBlocksNoPlan() {
    server.fuse.blow("a test");
    binding.pause(1);
    assertThat(binding.keep(1, 1, then).changed()).isEmpty();
    assertThat(binding.merge(List.of())).isZero();
    binding.resume(1, then, 0);
    assertThat(server.node.fence().paused()).isFalse();
  }

  /** It is asked again for which keys these were, and again when its answer was lost. */
  @Test
  void aDoneRestoreIsRepeatedAlsoAfterAFailure() {
    server.put("disk", "k", "b", clock(0, 2));
    binding.pause(1);
    Restoration done = binding.restore(1, 1, then);
    assertThat(done.changed()).hasSize(1);

    missedAt.set(server.node.clock().last().own() + 1);
    assertThat(binding.restore(1, 1, then)).isEqualTo(done);
    assertThatThrownBy(() -> binding.restore(1, 2, then)).isInstanceOf(OutOfReachException.class);
    server.fuse.blow("a test");
    assertThat(binding.restore(1, 1, then)).isEqualTo(done);
    assertThatThrownBy(() -> binding.restore(1, 2, then))
        .isInstanceOf(RestoreRefusedException.class);
  }

  @Test
  void allKeysAreComparedBySlicesAndHintsStay() {
    server.put("memory", "m", "b", clock(0, 1));
    server.hint("kept", "disk", millisThen());
    binding.pause(1);
    Restoration kept = binding.keepAll(1, 1);
    assertThat(kept.changed()).extracting(StoreKey::store).containsExactly("disk", "memory");
    assertThat(kept.replicas()).hasSize(2);

    assertThat(binding.readSlices(kept.changed(), then, true))
        .extracting(AgentBindingTest::text)
        .containsExactly("k", "m");
    binding.resume(1, then, 0);
    assertThat(server.get("slop", "kept")).isNotEmpty();
  }

  private static String text(KeyRecord found) {
    return new String(found.key().key(), StandardCharsets.UTF_8);
  }

  @Test
  void anAgentThatIsOffHasNoSlices() {
    binding.pause(1);
    List<StoreKey> slices = binding.keepAll(1, 1).changed();
    server.fuse.blow("a test");
    assertThat(binding.keepAll(1, 2).changed()).isEmpty();
    assertThat(binding.readSlices(slices, then, true)).isEmpty();
  }
}
