package io.palinode.cql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.palinode.cql.protocol.Context;
import io.palinode.cql.protocol.Fence;
import io.palinode.hvc.Hvc;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class CallTest {
  private final RuntimeException paused = error(Fence.paused(4));
  private final RuntimeException served = error(new Fence(4, false, 99, false));

  private final SharedView view = new SharedView();

  private static RuntimeException error(Fence fence) {
    return new IllegalStateException(fence.message());
  }

  private Call call(OnRollback onRollback) {
    return new Call(
        SimpleStatement.newInstance("SELECT 1")
            .setCustomPayload(Map.of("x", ByteBuffer.allocate(1))),
        view,
        onRollback,
        2 * Call.POLL_MILLIS);
  }

  private static Context sent(Call call) {
    Map<String, ByteBuffer> payload = call.next().getCustomPayload();
    assertThat(payload).as("the program's own payload").containsKey("x");
    return Context.decode(Call.bytes(Objects.requireNonNull(payload.get(Context.KEY))));
  }

  @Test
  void aStatementCarriesTheEpochOfItsCallAndTheNewestClock() {
    assertThat(sent(call(OnRollback.THROW))).isEqualTo(Context.of(Context.UNKNOWN, null));
    view.answered(Context.of(3, Hvc.of(0, 10, 0)));
    Call call = call(OnRollback.THROW);
    view.answered(Context.of(3, Hvc.of(1, 0, 12)));
    view.fenced(new Fence(4, false, 99, false));
    assertThat(sent(call)).isEqualTo(Context.of(3, Hvc.of(Hvc.NO_OWNER, 10, 12)));
  }

  @Test
  void aCallThatAsksWaitsForTheEndOfThePauseAndThrows() {
    view.answered(Context.of(3, null));
    Call call = call(OnRollback.THROW);
    assertThat(call.millisBeforeNext(paused)).isEqualTo(Call.POLL_MILLIS);
    assertThat(sent(call).epoch()).as("so that the server refuses it").isEqualTo(3);
    RolledBackException thrown =
        catchThrowableOfType(RolledBackException.class, () -> call.millisBeforeNext(served));
    assertThat(thrown.rolledBack()).isEqualTo(new RolledBack(3, 4, 99, false));
    assertThat(sent(call(OnRollback.THROW)).epoch()).as("of the next call").isEqualTo(4);
  }

  @Test
  void anotherCallOfTheEndedEpochThrowsToo() {
    view.answered(Context.of(3, null));
    Call first = call(OnRollback.THROW);
    Call second = call(OnRollback.THROW);
    assertThatThrownBy(() -> first.millisBeforeNext(served))
        .isInstanceOf(RolledBackException.class);
    assertThatThrownBy(() -> second.millisBeforeNext(served))
        .isInstanceOf(RolledBackException.class);
  }

  @Test
  void aCallThatDoesNotAskIsSentAgainInTheNewEpoch() {
    view.answered(Context.of(3, null));
    Call call = call(OnRollback.RETRY);
    assertThat(call.millisBeforeNext(served)).isZero();
    assertThat(sent(call).epoch()).isEqualTo(4);
  }

  @Test
  void aPauseThatLastsTooLongAndOtherErrorsEndTheCall() {
    Call call = call(OnRollback.RETRY);
    assertThat(call.millisBeforeNext(paused)).isEqualTo(Call.POLL_MILLIS);
    assertThat(call.millisBeforeNext(paused)).isEqualTo(Call.POLL_MILLIS);
    assertThatThrownBy(() -> call.millisBeforeNext(paused)).isSameAs(paused);
    RuntimeException other = new IllegalStateException("unconfigured table");
    assertThatThrownBy(() -> call.millisBeforeNext(other)).isSameAs(other);
  }
}
