package io.palinode.retroscope.disklog;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.disklog.LogState.Phase;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an earlier process left of a log, as far as it can be used. Changes nothing. */
final class FoundLog {
  private final LogVolume volume;
  private final ArrayDeque<DiskFile> files = new ArrayDeque<>();
  private final @Nullable String lost;
  private long newest;
  private long nextNumber;
  private long last;

  private FoundLog(LogVolume volume, String label, long session, DiskWatch watch)
      throws IOException {
    this.volume = volume;
    List<Long> numbers = volume.numbers();
    // With a gap: what cannot be used, nor perhaps removed, must not seem to be followed.
    this.nextNumber = numbers.isEmpty() ? 1 : numbers.get(numbers.size() - 1) + 2;
    byte[] state = volume.readState();
    if (state == null) {
      this.lost = numbers.isEmpty() ? null : "its state is missing";
    } else {
      this.lost = lost(LogState.decode(state, volume.name()), label, session, numbers, watch);
    }
  }

  /** Throws {@link DiskLogException} for a log of another label or format. */
  static FoundLog in(LogVolume volume, String label, long session, DiskWatch watch) {
    try {
      return new FoundLog(volume, label, session, watch);
    } catch (IOException e) {
      throw new DiskLogException(
          "the window-log in %s cannot be read (%s): repair its folder, or remove it"
              .formatted(volume.name(), e),
          e);
    }
  }

  private @Nullable String lost(
      LogState.@Nullable Found state,
      String label,
      long session,
      List<Long> numbers,
      DiskWatch watch)
      throws IOException {
    if (state == null) {
      return "its state is damaged";
    }
    if (!state.label().equals(label)) {
      throw new DiskLogException(
          "the window-log in %s is that of %s, not of %s: remove the folder, or give it back"
              .formatted(volume.name(), state.label(), label),
          null);
    }
    if (LogState.number(state.newest()) == 0) {
      // Nothing was written, so nothing is lost.
      return null;
    }
    String distrust = distrust(state, session);
    return distrust == null ? find(state.newest(), numbers, watch) : distrust;
  }

  /** Nothing may be missing between the log's end and what its store has. */
  private @Nullable String distrust(LogState.Found state, long session) {
    if (state.session() != session) {
      return "its store ran without it";
    }
    if (state.phase() == Phase.OPEN) {
      boolean ranOn = !state.boot().isEmpty() && state.boot().equals(volume.boot());
      return ranOn ? null : "the machine stopped before it was closed";
    }
    return state.phase() == Phase.CLOSED ? null : "it could not be written to its end";
  }

  /**
   * The newest file must be there whole, or nothing is worth anything: what came before a gap leads
   * to no state that the store has. What is before an older damaged file is lost alone.
   */
  private @Nullable String find(long newestSlot, List<Long> numbers, DiskWatch watch)
      throws IOException {
    long number = LogState.number(newestSlot);
    if (numbers.contains(number)) {
      try {
        findNewest(number, LogState.slot(newestSlot));
      } catch (DamagedFileException e) {
        return String.valueOf(e.getMessage());
      }
    } else {
      return "its file " + number + " is missing";
    }
    for (long later : numbers) {
      if (later > number && DiskFile.hasEntries(volume, later)) {
        files.clear();
        return "its file " + later + " came after its state";
      }
    }
    newest = newestSlot;
    nextNumber = number + 1;
    findOlder(number, numbers, watch);
    return null;
  }

  private void findNewest(long number, int slots) throws IOException {
    DiskFile file = DiskFile.found(volume, number, null, slots);
    file.pin();
    try {
      last = file.verify();
      files.addFirst(file);
    } finally {
      file.unpin();
    }
  }

  private void findOlder(long newestNumber, List<Long> numbers, DiskWatch watch)
      throws IOException {
    try {
      long number = newestNumber - 1;
      while (numbers.contains(number)) {
        DiskFile file = DiskFile.found(volume, number, files.getFirst(), 0);
        files.addFirst(file);
        number = file.firstNumber() - 1;
      }
    } catch (DamagedFileException e) {
      watch.lost(
          e.getMessage() + "; times before " + Hlc.format(files.getFirst().base()) + " are lost");
    }
  }

  /** Oldest first. */
  ArrayDeque<DiskFile> files() {
    return files;
  }

  /** Why what there is cannot be used; null: it can, or there is nothing. */
  @Nullable String lost() {
    return lost;
  }

  /** As {@link LogState} has it. */
  long newest() {
    return lost == null ? newest : 0;
  }

  /** The number that the next file gets. */
  long nextNumber() {
    return nextNumber;
  }

  /** The time of the last entry; 0: there is none. */
  long last() {
    return lost == null ? last : 0;
  }
}
