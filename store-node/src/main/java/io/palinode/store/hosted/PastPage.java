package io.palinode.store.hosted;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.hvc.PointInTime;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.file.HalfUndoneException;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The page {@code /past?…&at=T}: the value of a key at a time, by default now. With {@code
 * snapshot=NAME} it is the value in this server's part of a snapshot.
 */
public final class PastPage implements StatusPages.Page {
  private final ObjectMapper json = new ObjectMapper();
  private final Values values;

  /**
   * The values of a server at earlier times. Each method throws {@link IllegalArgumentException}
   * with the reason if the server does not know the value.
   */
  public interface Values {
    /**
     * Returns the text of the value at {@code hlc}; null if the key was absent. Throws {@link
     * OutOfReachException} and {@link HalfUndoneException} too.
     */
    @Nullable String at(Query asked, long hlc);

    /** The snapshots of the server that is asked for. */
    LocalSnapshots snapshots(Query asked);

    /** The same in a snapshot. */
    @Nullable String in(Query asked, OpenSnapshot snapshot);
  }

  public PastPage(Values values) {
    this.values = values;
  }

  @Override
  public String json(@Nullable String query) throws JsonProcessingException {
    Query asked = Query.of(query);
    try {
      return json.writeValueAsString(answer(asked));
    } catch (OutOfReachException | SnapshotException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private Map<String, @Nullable Object> answer(Query asked) {
    String name = asked.find("snapshot");
    String at = asked.find("at");
    if (name == null) {
      long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
      long hlc = PointInTime.parse(at == null ? "now" : at, now);
      return answer(hlc, values.at(asked, hlc));
    }
    if (at != null) {
      throw new IllegalArgumentException("'at' and 'snapshot' must not both be given");
    }
    try (OpenSnapshot snapshot = values.snapshots(asked).open(name)) {
      return answer(snapshot.hlc(), values.in(asked, snapshot));
    }
  }

  private static Map<String, @Nullable Object> answer(long hlc, @Nullable String value) {
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("at", PointInTime.format(hlc));
    answer.put("value", value);
    return answer;
  }
}
