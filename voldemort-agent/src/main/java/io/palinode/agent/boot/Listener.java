package io.palinode.agent.boot;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Observes woven methods. Called by the server's threads. Its exceptions are bugs and never reach
 * the server.
 */
public interface Listener {
  /**
   * A method of an engine begins.
   *
   * @param key the server's key; null if there is none
   * @param argument the version of a delete, the handle of a lock; else null
   * @return the frame to end; null for none
   */
  @Nullable Frame entered(
      Operation operation, Object engine, @Nullable Object key, @Nullable Object argument);

  /** The server is about to close {@code engine}, and no longer serves its store. */
  void storeRemoved(Object engine);

  /** The running method has read this record from the engine's database. */
  void decoding(byte[] record);

  /** The running method is about to write this record. */
  void encoded(byte[] record);

  /** A pb0 message was read into its builder, or a delivered hint was read. */
  void received(Object builder);

  /** Writes {@code message} with a context; null to send it unchanged. */
  @Nullable Writing answering(Object message) throws IOException;

  /** The request of this thread has ended. */
  void requestEnded();

  /** The server's hint delivery job begins or ends. */
  default void pushes(boolean begins) {}

  /** The object that all stores of a client's cluster share. */
  default @Nullable Object clientOf(Object store) {
    return null;
  }

  /** This thread of a client is creating {@code request}, which is incomplete. */
  default @Nullable Ride requested(Object request) {
    return null;
  }

  /**
   * Makes this thread's next requests belong to {@code ride}; null for none.
   *
   * @return the value before
   */
  default @Nullable Ride continues(@Nullable Ride ride) {
    return null;
  }

  /**
   * This thread of a client is about to send read repairs, one request each, in this order.
   *
   * @param values the versions, each with the node that it was read at
   * @param repairs the versions, each with the node that lacked it; equal versions are the same
   *     objects as in {@code values}
   */
  default void repairs(List<?> values, List<?> repairs) {}

  /**
   * One of the methods above threw. If this throws too, the listener is cut off ({@link
   * Hooks#isCutOff}).
   */
  void failed(Throwable bug);
}
