package io.palinode.voldemort.client.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.voldemort.protocol.Pb0;
import org.junit.jupiter.api.Test;

class EpochViewTest {
  private static final long SAFE = 4;

  private static Pb0.ResponseContext serving(long epoch) {
    return Pb0.ResponseContext.newBuilder().setEpoch(epoch).build();
  }

  private static Pb0.ResponseContext paused(long epoch) {
    return fence(Pb0.Fence.newBuilder().setEpoch(epoch).setPaused(true));
  }

  private static Pb0.ResponseContext paused(long epoch, long target) {
    return fence(Pb0.Fence.newBuilder().setEpoch(epoch).setPaused(true).setTarget(target));
  }

  private static Pb0.ResponseContext resumed(long epoch, long target) {
    return fence(Pb0.Fence.newBuilder().setEpoch(epoch).setPaused(false).setTarget(target));
  }

  private static Pb0.ResponseContext fence(Pb0.Fence.Builder fence) {
    return Pb0.ResponseContext.newBuilder().setEpoch(fence.getEpoch()).setFence(fence).build();
  }

  private static EpochView after(Pb0.ResponseContext... contexts) {
    EpochView view = EpochView.INITIAL;
    for (Pb0.ResponseContext context : contexts) {
      view = view.observed(context, SAFE);
    }
    return view;
  }

  @Test
  void firstEpochIsTakenAsItComes() {
    assertThat(after(serving(3)).epoch()).isEqualTo(3);
    assertThat(after(paused(4))).as("it has not begun").isEqualTo(EpochView.INITIAL);
    assertThat(after(paused(4), serving(4)).epoch()).isEqualTo(4);
    assertThat(after(Pb0.ResponseContext.getDefaultInstance())).isEqualTo(EpochView.INITIAL);
  }

  @Test
  void newerEpochCastsDoubtUntilANodeServesItAndNamesItsTarget() {
    EpochView view = after(serving(3), serving(4));
    assertThat(view.doubt()).isEqualTo(new EpochView.Doubt(4, Long.MAX_VALUE));
    assertThat(view.isCurrent(3)).isFalse();
    assertThat(view.isCurrent(4)).isFalse();
    assertThat(view.isCurrent(EpochView.UNKNOWN)).isTrue();

    view = view.observed(paused(4), SAFE).observed(paused(4, 70), SAFE);
    assertThat(view.doubt()).isEqualTo(new EpochView.Doubt(4, 70));
    assertThat(view.epoch()).isEqualTo(3);

    view = view.observed(resumed(4, 60), SAFE);
    assertThat(view.doubt()).isNull();
    assertThat(view.isCurrent(4)).isTrue();
    assertThat(view.rolledBackSince(3)).isEqualTo(new RolledBack(3, 4, 60, 0));
  }

  @Test
  void fenceOfThisOrAnOlderEpochChangesNothing() {
    EpochView view = after(serving(3), resumed(4, 60));
    assertThat(view.observed(paused(4), SAFE)).isEqualTo(view);
    assertThat(view.observed(resumed(3, 10), SAFE)).isEqualTo(view);
    assertThat(view.observed(serving(2), SAFE)).isEqualTo(view);
  }

  @Test
  void afterMissedRollbacksOnlyTheSafePointStands() {
    EpochView view = after(serving(3), paused(4, 50), paused(5), resumed(4, 50));
    assertThat(view.doubt()).isEqualTo(new EpochView.Doubt(5, 50));
    assertThat(view.observed(resumed(5, 80), SAFE).rolledBackSince(3))
        .isEqualTo(new RolledBack(3, 5, SAFE, 0));
    assertThat(view.observed(resumed(5, 80), 60).rolledBackSince(3))
        .isEqualTo(new RolledBack(3, 5, 50, 0));
  }

  @Test
  void aMissedRollbackBeforeTheSafePointHasTheLeastTarget() {
    Pb0.ResponseContext deep =
        fence(
            Pb0.Fence.newBuilder()
                .setEpoch(5)
                .setPaused(false)
                .setTarget(80)
                .setDeepEpoch(4)
                .setDeepTarget(2));
    assertThat(after(serving(3), deep).rolledBackSince(3)).isEqualTo(new RolledBack(3, 5, 2, 0));
    assertThat(after(serving(2), deep).rolledBackSince(2)).isEqualTo(new RolledBack(2, 5, 2, 0));
    assertThat(after(serving(4), deep).rolledBackSince(4))
        .as("it observed that one")
        .isEqualTo(new RolledBack(4, 5, 80, 0));
  }

  @Test
  void rollbacksSinceAnEpochAreJoined() {
    EpochView view = after(serving(3), resumed(4, 60), resumed(5, 90), resumed(6, 70));
    assertThat(view.rolledBackSince(3)).isEqualTo(new RolledBack(3, 6, 60, 0));
    assertThat(view.rolledBackSince(4)).isEqualTo(new RolledBack(4, 6, 70, 0));
    assertThat(view.rolledBackSince(5)).isEqualTo(new RolledBack(5, 6, 70, 0));
    assertThatThrownBy(() -> view.rolledBackSince(6)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aRestartIsReportedToClientsThatMissedItsEpoch() {
    Pb0.ResponseContext restarted =
        fence(Pb0.Fence.newBuilder().setEpoch(4).setPaused(false).setTarget(60).setRestartEpoch(4));
    Pb0.ResponseContext later =
        fence(Pb0.Fence.newBuilder().setEpoch(5).setPaused(false).setTarget(80).setRestartEpoch(4));
    assertThat(after(serving(3), restarted).rolledBackSince(3))
        .isEqualTo(new RolledBack(3, 4, 60, 0, true));
    assertThat(after(serving(3), later).rolledBackSince(3).restart()).isTrue();
    assertThat(after(serving(4), later).rolledBackSince(4).restart()).isFalse();
    assertThat(after(serving(3), restarted, later).rolledBackSince(3).restart()).isTrue();
    assertThat(after(serving(3), restarted, later).rolledBackSince(4).restart()).isFalse();
  }

  @Test
  void longAgoRollbacksAreForgottenOneByOneButNotTheirTarget() {
    EpochView view = after(serving(0), resumed(1, 5));
    for (int epoch = 2; epoch <= 500; epoch++) {
      view = view.observed(resumed(epoch, 1_000 + epoch), SAFE);
    }
    assertThat(view.rollbacks()).hasSize(64);
    assertThat(view.rolledBackSince(0)).isEqualTo(new RolledBack(0, 500, 5, 0));
    assertThat(view.rolledBackSince(499)).isEqualTo(new RolledBack(499, 500, 1_500, 0));
  }

  private static Pb0.ResponseContext standing(long epoch, long target) {
    Pb0.ResponseContext resumed = resumed(epoch, target);
    return resumed.toBuilder().setFence(resumed.getFence().toBuilder().setStands(true)).build();
  }

  @Test
  void anEpochThatUndidNothingOfTheClientIsAdoptedAndItsCallsContinue() {
    EpochView view = after(serving(3), paused(4));
    assertThat(view.isOver(3)).as("in doubt").isFalse();
    view = view.observed(standing(4, 60), SAFE, true);
    assertThat(view.rollbacks()).isEmpty();
    assertThat(view.isCurrent(3)).isTrue();
    assertThat(view.epochFor(3)).isEqualTo(4);
    EpochView later = view.observed(standing(5, 70), SAFE, true);
    assertThat(later.epochFor(3)).isEqualTo(5);
    EpochView rolledBack = later.observed(resumed(6, 80), SAFE, true);
    assertThat(rolledBack.isOver(5)).isTrue();
    assertThat(rolledBack.epochFor(3)).isEqualTo(3);
    assertThat(rolledBack.rolledBackSince(3).target()).isEqualTo(80);
  }

  @Test
  void aClientThatDoesNotContinueTreatsItAsARollback() {
    EpochView view = after(serving(3), standing(4, 60));
    assertThat(view.isOver(3)).isTrue();
    assertThat(view.rolledBackSince(3).target()).isEqualTo(60);
  }
}
