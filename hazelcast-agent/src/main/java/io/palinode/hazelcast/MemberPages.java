package io.palinode.hazelcast;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.hazelcast.member.MemberPast;
import io.palinode.hazelcast.member.WatchedMember;
import io.palinode.hvc.PointInTime;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.snapshot.file.HalfUndoneException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pages of the status port. With {@code node=N} they are of that member, else of the first.
 *
 * <p>{@code /past?map=M&key=K&at=T} is the value that this member holds of a key that is a string,
 * at a time. It is refused if the member does not know it.
 */
final class MemberPages {
  private final ObjectMapper json = new ObjectMapper();
  private final String version;
  private final Members members;

  MemberPages(String version, Members members) {
    this.version = version;
    this.members = members;
  }

  String status(@Nullable String query) throws JsonProcessingException {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("hazelcast", version);
    all.putAll(member(parameters(query)).status());
    return json.writeValueAsString(all);
  }

  String past(@Nullable String query) throws JsonProcessingException {
    Map<String, String> asked = parameters(query);
    MemberPast past = new MemberPast(member(asked));
    try {
      long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
      long hlc = PointInTime.parse(asked.getOrDefault("at", "now"), now);
      String value = past.get(required(asked, "map"), required(asked, "key"), hlc);
      Map<String, @Nullable Object> answer = new LinkedHashMap<>();
      answer.put("at", PointInTime.format(hlc));
      answer.put("value", value);
      return json.writeValueAsString(answer);
    } catch (OutOfReachException | HalfUndoneException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private WatchedMember member(Map<String, String> asked) {
    String number = asked.get("node");
    List<WatchedMember> all = members.all();
    return all.stream()
        .filter(each -> number == null || number.equals(Integer.toString(each.number())))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "this process has no such member, or it has not started"));
  }

  private static String required(Map<String, String> asked, String name) {
    String value = asked.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the parameter '%s' is needed".formatted(name));
    }
    return value;
  }

  private static Map<String, String> parameters(@Nullable String query) {
    Map<String, String> parameters = new HashMap<>();
    if (query != null) {
      for (String each : query.split("&", -1)) {
        int equals = each.indexOf('=');
        if (equals > 0) {
          parameters.put(each.substring(0, equals), decoded(each.substring(equals + 1)));
        }
      }
    }
    return parameters;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
