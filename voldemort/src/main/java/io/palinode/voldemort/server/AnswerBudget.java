package io.palinode.voldemort.server;

import io.netty.channel.Channel;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Bounds the bytes of a server's large answers that clients have not read. Without room, it gives
 * up the answers that have waited longest. Thread-safe.
 */
final class AnswerBudget {
  private final long bytesMax;

  /** The oldest first. */
  private final Set<Unread> unread = new LinkedHashSet<>();

  private long bytes;

  /** An answer of a connection. Equal to itself alone. */
  static final class Unread {
    private final Channel connection;
    private final int bytes;

    private Unread(Channel connection, int bytes) {
      this.connection = connection;
      this.bytes = bytes;
    }
  }

  /**
   * @param bytesMax at least the length of the longest answer
   */
  AnswerBudget(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** Takes an answer until {@link #read}. Adds connections to close to {@code givenUp}. */
  synchronized Unread add(Channel connection, int answerBytes, List<Channel> givenUp) {
    Unread added = new Unread(connection, answerBytes);
    bytes += answerBytes;
    for (Iterator<Unread> oldest = unread.iterator(); bytes > bytesMax && oldest.hasNext(); ) {
      Unread victim = oldest.next();
      oldest.remove();
      bytes -= victim.bytes;
      givenUp.add(victim.connection);
    }
    unread.add(added);
    return added;
  }

  /** The answer is read, or its connection closed. Idempotent. */
  synchronized void read(Unread answer) {
    if (unread.remove(answer)) {
      bytes -= answer.bytes;
    }
  }
}
