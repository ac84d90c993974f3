package io.palinode.hazelcast;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.hazelcast.member.MemberPast;
import io.palinode.hazelcast.member.WatchedMember;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.store.hosted.PastPage;
import io.palinode.store.hosted.Query;
import io.palinode.store.hosted.StatusPages;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pages of the status port. With {@code node=N} they are of that member, else of the first.
 *
 * <p>{@code /past?map=M&key=K&at=T} is the value that this member holds of a key that is a string,
 * at a time. It is refused if the member does not know it. With {@code snapshot=S} it is the value
 * in a snapshot.
 */
final class MemberPages implements PastPage.Values {
  private final ObjectMapper json = new ObjectMapper();
  private final String version;
  private final Members members;

  MemberPages(String version, Members members) {
    this.version = version;
    this.members = members;
  }

  Map<String, StatusPages.Page> all() {
    return Map.of("/status", this::status, "/past", new PastPage(this));
  }

  private String status(@Nullable String query) throws JsonProcessingException {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("hazelcast", version);
    all.putAll(member(Query.of(query)).status());
    return json.writeValueAsString(all);
  }

  @Override
  public @Nullable String at(Query asked, long hlc) {
    return new MemberPast(member(asked)).get(asked.required("map"), asked.required("key"), hlc);
  }

  @Override
  public LocalSnapshots snapshots(Query asked) {
    return member(asked).snapshots();
  }

  @Override
  public @Nullable String in(Query asked, OpenSnapshot snapshot) {
    return new MemberPast(member(asked))
        .get(asked.required("map"), asked.required("key"), snapshot);
  }

  private WatchedMember member(Query asked) {
    String number = asked.find("node");
    return members.all().stream()
        .filter(each -> number == null || number.equals(Integer.toString(each.number())))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "this process has no such member, or it has not started"));
  }
}
