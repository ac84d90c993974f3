package io.palinode.store.hosted;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.hvc.PointInTime;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.snapshot.file.HalfUndoneException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The page {@code /past?…&at=T}: the value of a key at a time, by default now. */
public final class PastPage implements StatusPages.Page {
  private final ObjectMapper json = new ObjectMapper();
  private final Values values;

  /** The values of a server at earlier times. */
  @FunctionalInterface
  public interface Values {
    /**
     * Returns the text of the value at {@code hlc}; null if the key was absent. Throws {@link
     * OutOfReachException}, {@link HalfUndoneException}, or {@link IllegalArgumentException} with
     * the reason if the server does not know it.
     */
    @Nullable String at(Query asked, long hlc);
  }

  public PastPage(Values values) {
    this.values = values;
  }

  @Override
  public String json(@Nullable String query) throws JsonProcessingException {
    Query asked = Query.of(query);
    String at = asked.find("at");
    try {
      long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
      long hlc = PointInTime.parse(at == null ? "now" : at, now);
      String value = values.at(asked, hlc);
      Map<String, @Nullable Object> answer = new LinkedHashMap<>();
      answer.put("at", PointInTime.format(hlc));
      answer.put("value", value);
      return json.writeValueAsString(answer);
    } catch (OutOfReachException | HalfUndoneException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }
}
