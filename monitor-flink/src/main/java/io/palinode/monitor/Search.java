package io.palinode.monitor;

import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.wire.v1.Searched;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A node has published, by {@code at}, all keys of a partition for a predicate that compares
 * replicas, or all intervals that hold for one with {@code within}. As the body of a {@link
 * Notice}:
 *
 * <pre>
 * +---------------+-----------+---------------------+
 * | predicate,    | version   | HVC,                |
 * | modified UTF  | i64       | to the end          |
 * +---------------+-----------+---------------------+
 * </pre>
 */
public record Search(String predicate, long version, Sender sender, Hvc at) {

  /** Returns one notice for each predicate that the progress names. */
  public static List<Notice> notices(CandidateEvent event, List<Searched> named) {
    List<Notice> notices = new ArrayList<>(named.size());
    for (Searched searched : named) {
      notices.add(Notice.searched(event, body(searched, event.stamp().clock())));
    }
    return notices;
  }

  /** As {@link #notices}, for predicates with {@code within}. */
  public static List<Notice> wholeNotices(CandidateEvent event, List<Searched> named) {
    List<Notice> notices = new ArrayList<>(named.size());
    for (Searched whole : named) {
      notices.add(Notice.whole(event, body(whole, event.stamp().clock())));
    }
    return notices;
  }

  private static byte[] body(Searched searched, byte[] clock) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeUTF(searched.getPredicate());
      out.writeLong(searched.getVersion());
      out.write(clock);
    } catch (IOException e) {
      throw new UncheckedIOException("bytes in memory must be writable", e);
    }
    return bytes.toByteArray();
  }

  /** Parses a notice. Throws {@link UncheckedIOException} for a truncated body. */
  public static Search of(Notice notice) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(notice.body()))) {
      String predicate = in.readUTF();
      long version = in.readLong();
      Hvc at = HvcCodec.decode(in.readAllBytes());
      return new Search(predicate, version, notice.sender(), at);
    } catch (IOException e) {
      throw new UncheckedIOException("a search's notice must not be truncated", e);
    }
  }

  /**
   * Returns whether this is newer than {@code known}, of the same predicate, partition and node.
   */
  public boolean isNewerThan(Search known) {
    if (version != known.version) {
      return version > known.version;
    }
    return sender.epoch() != known.sender.epoch()
        ? sender.epoch() > known.sender.epoch()
        : sender.incarnation() > known.sender.incarnation();
  }
}
