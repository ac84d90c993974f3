package io.palinode.store.hosted;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parameters of a request, decoded. */
public record Query(Map<String, String> parameters) {
  public Query {
    parameters = Map.copyOf(parameters);
  }

  /** Reads {@code a=1&b=2}; null: there are none. Of equal names the last one counts. */
  public static Query of(@Nullable String raw) {
    Map<String, String> parameters = new HashMap<>();
    if (raw != null) {
      for (String each : raw.split("&", -1)) {
        int equals = each.indexOf('=');
        if (equals > 0) {
          parameters.put(each.substring(0, equals), decoded(each.substring(equals + 1)));
        }
      }
    }
    return new Query(parameters);
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  public @Nullable String find(String name) {
    return parameters.get(name);
  }

  /** Throws {@link IllegalArgumentException} if it is missing. */
  public String required(String name) {
    String value = parameters.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the parameter '%s' is needed".formatted(name));
    }
    return value;
  }
}
