package io.palinode.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A small text file that may change, as a value. Thread-safe. */
public final class FollowedFile<T> {
  private static final Logger log = LoggerFactory.getLogger(FollowedFile.class);
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long BYTES_MAX = 1 << 20;

  private final Path file;
  private final LongSupplier nanoTime;
  private final Function<List<String>, T> parse;
  private volatile T value;
  private volatile long lookedNanos;
  private String stamp;

  /** The last warning; an equal one is not repeated. */
  private String warned = "";

  /**
   * @param parse throws {@link IllegalArgumentException} for lines that cannot be used
   */
  private FollowedFile(Path file, LongSupplier nanoTime, Function<List<String>, T> parse) {
    this.file = file;
    this.nanoTime = nanoTime;
    this.parse = parse;
    this.lookedNanos = nanoTime.getAsLong();
    this.stamp = stamp(file);
    this.value = read();
  }

  /** Throws {@link IllegalArgumentException} that names the file, and what {@code parse} throws. */
  public static <T> FollowedFile<T> open(
      Path file, LongSupplier nanoTime, Function<List<String>, T> parse) {
    return new FollowedFile<>(file, nanoTime, parse);
  }

  /**
   * Reads a changed file at most once per second. One that cannot be used changes nothing, and is
   * read again.
   */
  public T value() {
    long now = nanoTime.getAsLong();
    if (now - lookedNanos >= LOOK_NANOS) {
      look(now);
    }
    return value;
  }

  private synchronized void look(long now) {
    if (now - lookedNanos < LOOK_NANOS) {
      return;
    }
    lookedNanos = now;
    String present = stamp(file);
    if (present.equals(stamp)) {
      return;
    }
    try {
      value = read();
      // Not before: what makes a file readable again changes neither its time nor its size.
      stamp = present;
      warned = "";
      log.info("users=READ file={}", file);
    } catch (IllegalArgumentException e) {
      String warning = String.valueOf(e.getMessage());
      if (!warning.equals(warned)) {
        warned = warning;
        log.warn("users=KEPT: {}", warning);
      }
    }
  }

  private T read() {
    try {
      if (Files.size(file) > BYTES_MAX) {
        throw new IllegalArgumentException("a users file has at most 1 MiB: " + file);
      }
      return parse.apply(Files.readAllLines(file));
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(
          "there is no users file %s: make one with 'palinode user add'".formatted(file), e);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read the users file %s: %s".formatted(file, e), e);
    }
  }

  private static String stamp(Path file) {
    try {
      return Files.getLastModifiedTime(file) + " " + Files.size(file);
    } catch (IOException absent) {
      return "";
    }
  }
}
