package io.palinode.cql.client;

import com.datastax.oss.driver.api.core.cql.ExecutionInfo;
import com.datastax.oss.driver.api.core.cql.Statement;
import io.palinode.cql.protocol.Context;
import io.palinode.cql.protocol.Fence;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/** One statement, until its answer counts. For one thread at a time. */
final class Call {
  static final long POLL_MILLIS = 50;

  private final Statement<?> statement;
  private final SharedView view;
  private final OnRollback onRollback;
  private final long pauseMillisMax;
  private long epoch;
  private long waitedMillis;

  /** A call of the epoch that the view has now. */
  Call(Statement<?> statement, SharedView view, OnRollback onRollback, long pauseMillisMax) {
    this.statement = statement;
    this.view = view;
    this.onRollback = onRollback;
    this.pauseMillisMax = pauseMillisMax;
    this.epoch = view.now().epoch();
  }

  /** The statement to send. Its clock is the newest one, its epoch the one of this call. */
  Statement<?> next() {
    byte[] context = Context.of(epoch, view.now().clock()).encode();
    Map<String, ByteBuffer> payload = new LinkedHashMap<>(statement.getCustomPayload());
    payload.put(Context.KEY, ByteBuffer.wrap(context));
    return statement.setCustomPayload(payload);
  }

  /** Whether the answer had a context. */
  boolean answered(ExecutionInfo info) {
    ByteBuffer bytes = info.getIncomingPayload().get(Context.KEY);
    if (bytes != null) {
      view.answered(Context.decode(bytes(bytes)));
    }
    return bytes != null;
  }

  static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  /**
   * The milliseconds to wait before the statement is sent again. Throws {@link RolledBackException}
   * if the call has ended, and {@code error} if it is no fence or the pause is too long.
   */
  long millisBeforeNext(RuntimeException error) {
    Fence fence = Fence.parse(error.getMessage());
    if (fence == null) {
      throw error;
    }
    if (fence.paused()) {
      if (waitedMillis >= pauseMillisMax) {
        throw error;
      }
      waitedMillis += POLL_MILLIS;
      return POLL_MILLIS;
    }
    ClientView next = view.fenced(fence);
    if (onRollback == OnRollback.THROW) {
      throw new RolledBackException(
          new RolledBack(epoch, fence.epoch(), fence.target(), fence.restart()));
    }
    epoch = next.epoch();
    return 0;
  }
}
