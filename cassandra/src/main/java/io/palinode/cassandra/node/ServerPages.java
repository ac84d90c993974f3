package io.palinode.cassandra.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.cassandra.table.LiveCells;
import io.palinode.cassandra.table.Tables;
import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hlc;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.store.hosted.Fuse;
import io.palinode.store.hosted.JoinedDetector;
import io.palinode.store.hosted.PastPage;
import io.palinode.store.hosted.Query;
import io.palinode.store.hosted.StatusPages;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The pages of the status port.
 *
 * <p>{@code /past?key=K&at=T} is the value of a cell in this server's copy at a time. It is refused
 * if the server does not know it. With {@code snapshot=S} it is the value in a snapshot.
 */
final class ServerPages implements PastPage.Values {
  private final ObjectMapper json = new ObjectMapper();
  private final Supplier<@Nullable CassandraNode> node;
  private final Supplier<@Nullable LocalSnapshots> snapshots;
  private final Tables tables;
  private final JoinedDetector detector;
  private final Fuse fuse;

  /**
   * @param node null: it is not open
   * @param snapshots null: the same
   */
  ServerPages(
      Supplier<@Nullable CassandraNode> node,
      Supplier<@Nullable LocalSnapshots> snapshots,
      Tables tables,
      JoinedDetector detector,
      Fuse fuse) {
    this.node = node;
    this.snapshots = snapshots;
    this.tables = tables;
    this.detector = detector;
    this.fuse = fuse;
  }

  Map<String, StatusPages.Page> all() {
    return Map.of("/status", query -> status(), "/past", new PastPage(this));
  }

  private String status() throws JsonProcessingException {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("joined", detector.isJoined());
    all.put("notJoined", detector.notJoined());
    all.put("off", fuse.isBlown());
    all.put("failures", fuse.failures());
    all.put("firstFailure", fuse.first());
    all.put("controlFailure", detector.controlFailure());
    CassandraNode now = node.get();
    if (now != null) {
      all.put("node", now.node());
      all.put("incarnation", now.incarnation());
      all.put("epoch", now.fence().epoch());
      all.put("paused", now.fence().paused());
      all.put("reach", Hlc.format(now.reach()));
      all.put("windowLogBytes", now.past().bytes());
    }
    return json.writeValueAsString(all);
  }

  @Override
  public @Nullable String at(Query asked, long hlc) {
    return text(past().get(key(asked), hlc));
  }

  @Override
  public LocalSnapshots snapshots(Query asked) {
    return requireOpen(snapshots.get());
  }

  @Override
  public @Nullable String in(Query asked, OpenSnapshot snapshot) {
    return text(past().in(key(asked), snapshot));
  }

  private CellPast past() {
    return new CellPast(requireOpen(node.get()), tables);
  }

  private static <T> T requireOpen(@Nullable T opened) {
    if (opened == null) {
      throw new IllegalArgumentException("the node is not open; see Cassandra's log");
    }
    return opened;
  }

  private static StoreKey key(Query asked) {
    return new StoreKey(LiveCells.STORE, asked.required("key").getBytes(UTF_8));
  }

  private static @Nullable String text(byte @Nullable [] value) {
    return value == null ? null : new String(value, UTF_8);
  }
}
