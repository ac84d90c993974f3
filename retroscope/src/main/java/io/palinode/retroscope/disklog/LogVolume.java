package io.palinode.retroscope.disklog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a window-log keeps its files: numbered ones, and one small one of state. What was written
 * into mapped bytes outlives the process at once, the machine only once it was forced. Used by one
 * thread at a time, except {@link #map} and {@link #rewrite}.
 */
public interface LogVolume {
  /** For messages. */
  String name();

  /**
   * Names this run of the machine: under the same name, all that was written is still there. Empty:
   * not known, so nothing is sure.
   */
  String boot();

  /** What can still be written on the volume, in bytes. */
  long freeBytes() throws IOException;

  /** Null: there is none. */
  byte @Nullable [] readState() throws IOException;

  /** Replaces the state as a whole. What is put into the result later is part of it. */
  ByteBuffer writeState(byte[] state) throws IOException;

  /** All numbers that there are, ascending. */
  List<Long> numbers() throws IOException;

  /** A new file of zeros, of which nothing is allocated. */
  Fresh create(long number, int bytes) throws IOException;

  /**
   * A file as it is now and while it is written. Called by any thread. Throws {@link
   * java.io.FileNotFoundException} when it is not there, and only then.
   */
  ByteBuffer map(long number) throws IOException;

  /**
   * A file of zeros that is to take the place of another; of such there is one at a time, and what
   * was left of an earlier one goes. Not one of {@link #numbers}. Called by any one thread.
   */
  Fresh rewrite(int bytes) throws IOException;

  /**
   * Replaces a file by the first {@code bytes} of its closed rewritten form, in one step. Readers
   * that have mapped the old file continue to read it.
   */
  void replace(long number, int bytes) throws IOException;

  /** Removes what was rewritten and was not put into a place, if anything was. */
  void discardRewrite() throws IOException;

  /** Brings the file onto the medium. */
  void force(long number) throws IOException;

  /** Brings the state, and what files there are, onto the medium. */
  void forceState() throws IOException;

  /**
   * Removes the file, if it is there.
   *
   * @param mapped someone may still read what was mapped: its space is given back later
   */
  void remove(long number, boolean mapped) throws IOException;

  /** A file that is being written. */
  interface Fresh extends AutoCloseable {
    ByteBuffer bytes();

    /**
     * Allocates these bytes, so that they can be put without fail. Throws {@link IOException} when
     * there is no room.
     */
    void reserve(int from, int bytes) throws IOException;

    @Override
    void close() throws IOException;
  }
}
