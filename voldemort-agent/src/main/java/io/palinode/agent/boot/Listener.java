package io.palinode.agent.boot;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hears what woven methods do. Called by the server's threads. What it throws is a bug, which never
 * reaches the server.
 */
public interface Listener {
  /**
   * A method of an engine begins.
   *
   * @param key the server's key; null where there is none
   * @param argument the version of a delete, the handle of a lock; else null
   * @return null when there is nothing to do at its end
   */
  @Nullable Frame entered(
      Operation operation, Object engine, @Nullable Object key, @Nullable Object argument);

  /** The server is about to close {@code engine}, and serves its store no more. */
  void storeRemoved(Object engine);

  /** A record that was read from the engine's database, by the method that is under way. */
  void decoding(byte[] record);

  /** A record that is about to be written to it. */
  void encoded(byte[] record);

  /** A pb0 message was read into its builder; or a hint that another server delivers was read. */
  void received(Object builder);

  /** How to send {@code message} with more beside it; null: it is sent as it is. */
  @Nullable Writing answering(Object message) throws IOException;

  /** The request of this thread is over. */
  void requestEnded();

  /** The server's job that delivers hints to others begins, or ends. */
  default void pushes(boolean begins) {}

  /** What the operations of a client's {@code store} share with those of its cluster's others. */
  default @Nullable Object clientOf(Object store) {
    return null;
  }

  /** This thread of a client makes {@code request}, which is not complete yet. */
  default @Nullable Ride requested(Object request) {
    return null;
  }

  /**
   * What this thread makes from now on goes on with {@code ride}; null: with none.
   *
   * @return with what it went on so far
   */
  default @Nullable Ride continues(@Nullable Ride ride) {
    return null;
  }

  /**
   * This thread of a client is about to send what nodes lacked of what it has read, a request each,
   * in this order.
   *
   * @param values each with the node that it was read at
   * @param repairs each with the node that lacked it; what it shares with one of {@code values} is
   *     the same object
   */
  default void repairs(List<?> values, List<?> repairs) {}

  /** One of the methods above threw. When this throws too, {@link Hooks#isDeaf}. */
  void failed(Throwable bug);
}
