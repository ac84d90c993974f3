package io.palinode.cassandra;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.cassandra.net.Message;
import org.apache.cassandra.net.MessagingService;
import org.apache.cassandra.net.Verb;

/**
 * For a server under test: while the file {@code palinode.test.hold} exists, no mutation leaves for
 * another server. The thread of its request waits.
 *
 * <p>While the file {@code delay-received} exists, each mutation of another server is applied late,
 * by the milliseconds in the file.
 */
public final class HoldingQueryHandler extends PalinodeQueryHandler {
  private static final long LOOK_NANOS = 1_000_000;

  public HoldingQueryHandler() {
    Path folder = Path.of(System.getProperty("palinode.test.hold", ""));
    Path sent = folder.resolve("hold-sent");
    Path received = folder.resolve("hold-received");
    Path delayed = folder.resolve("delay-received");
    MessagingService.instance().outboundSink.add((message, to) -> passes(message, sent));
    // A filter that was added earlier runs later.
    MessagingService.instance().inboundSink.add(message -> passes(message, received));
    MessagingService.instance().inboundSink.add(message -> passesLate(message, delayed));
  }

  private static boolean passes(Message<?> message, Path hold) {
    if (message.verb() == Verb.MUTATION_REQ && Files.exists(hold)) {
      append(hold);
      while (Files.exists(hold)) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }
    return true;
  }

  private static boolean passesLate(Message<?> message, Path delay) {
    if (message.verb() == Verb.MUTATION_REQ && Files.exists(delay)) {
      long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis(delay));
      while (System.nanoTime() < until) {
        LockSupport.parkNanos(until - System.nanoTime());
      }
    }
    return true;
  }

  private static long millis(Path file) {
    try {
      return Long.parseLong(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void append(Path hold) {
    try {
      Files.write(hold, new byte[1], StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
