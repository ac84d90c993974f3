package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ListingTest extends RestFixture {
  private static final String PATH = "/api/v1/violations";
  private static final Pattern NEXT = Pattern.compile("<(.*)>; rel=\"next\"");

  @Test
  void pagesHoldEveryViolationOnceAlsoWhenNewOnesArrive() throws Exception {
    backend.violations = violations(183);
    List<String> ids = new ArrayList<>();
    for (Optional<String> path = Optional.of(PATH + "?limit=50"); path.isPresent(); ) {
      HttpResponse<String> answer = send("GET", path.get(), "");
      ids.addAll(ids(answer));
      backend.violations = violations(backend.violations.size() + 7);
      path = next(answer);
    }
    assertThat(ids).isEqualTo(IntStream.range(0, 183).mapToObj(i -> "v" + (182 - i)).toList());
  }

  @Test
  void aPageNamesHowManyViolationsMatch() throws Exception {
    backend.violations = violations(183);
    HttpResponse<String> some = send("GET", PATH, "");
    assertThat(ids(some)).hasSize(100);
    assertThat(some.headers().firstValue(Listing.TOTAL)).contains("183");
    HttpResponse<String> all = send("GET", PATH + "?limit=183", "");
    assertThat(ids(all)).hasSize(183);
    assertThat(next(all)).isEmpty();
  }

  @Test
  void aPageOfLongViolationsIsShorter() throws Exception {
    ByteString value = ByteString.copyFrom(new byte[900 << 10]);
    Witness witness =
        Witness.newBuilder().addValues(VariableVersion.newBuilder().setValue(value)).build();
    backend.violations =
        violations(5).stream()
            .map(one -> one.violation().toBuilder().addWitnesses(witness).build())
            .map(violation -> ReceivedViolation.first(violation, 1, false))
            .toList();
    HttpResponse<String> first = send("GET", PATH, "");
    assertThat(ids(first)).containsExactly("v4", "v3");
    assertThat(first.headers().firstValue(Listing.TOTAL)).contains("5");
    HttpResponse<String> second = send("GET", next(first).orElseThrow(), "");
    assertThat(ids(second)).containsExactly("v2", "v1");
    assertThat(ids(send("GET", next(second).orElseThrow(), ""))).containsExactly("v0");
  }

  @Test
  void violationsAreChosenByWhetherTheyHold() throws Exception {
    backend.violations = new ArrayList<>(violations(3));
    backend.violations.replaceAll(
        one -> one.violation().getId().equals("v1") ? one.endedAt("v1", Hlc.ofMicros(5_000)) : one);
    assertThat(ids(send("GET", PATH + "?holding=true", ""))).containsExactly("v2", "v0");
    HttpResponse<String> ended = send("GET", PATH + "?holding=false", "");
    assertThat(ids(ended)).containsExactly("v1");
    assertThat(ended.body()).contains("\"ended\":\"5000\"");
    assertThat(send("GET", PATH + "?holding=maybe", "").statusCode()).isEqualTo(400);
  }

  @Test
  void violationsAreChosenByTimePredicateAndGrade() throws Exception {
    backend.violations = violations(20);
    String query = "?predicate=even&grade=definite&since=" + Hlc.format(Hlc.ofMicros(1_010));
    HttpResponse<String> answer = send("GET", PATH + query + "&limit=2", "");
    assertThat(ids(answer)).containsExactly("v18", "v16");
    assertThat(answer.headers().firstValue(Listing.TOTAL)).contains("5");
    assertThat(ids(send("GET", next(answer).orElseThrow(), ""))).containsExactly("v14", "v12");
    String printed = "since=" + PointInTime.format(Hlc.ofMicros(1_018));
    assertThat(ids(send("GET", PATH + "?" + printed, ""))).containsExactly("v19", "v18");
  }

  @Test
  void anUnknownParameterIsRefusedWithTheKnownOnes() throws Exception {
    for (String path : List.of(PATH + "?page=2", "/api/v1/rollbacks?grade=definite")) {
      HttpResponse<String> answer = send("GET", path, "");
      assertThat(answer.statusCode()).as(path).isEqualTo(400);
      assertThat(error(answer)).contains("limit, predicate, since");
    }
    HttpResponse<String> status = send("GET", "/api/v1/status?verbose=true", "");
    HttpResponse<String> run = send("POST", "/api/v1/rollbacks?limit=1", "{\"to\": \"-1s\"}");
    for (HttpResponse<String> none : List.of(status, run)) {
      assertThat(none.statusCode()).isEqualTo(400);
      assertThat(error(none)).contains("has no parameter", "it has none");
    }
  }

  @Test
  void nothingIsOlderThanAViolationThatIsNoLongerRemembered() throws Exception {
    backend.violations = violations(3);
    HttpResponse<String> answer = send("GET", PATH + "?before=" + "0f".repeat(16), "");
    assertThat(ids(answer)).isEmpty();
    assertThat(next(answer)).isEmpty();
  }

  @Test
  void rollbacksBeforeAnyEpochAreListed() throws Exception {
    String path = "/api/v1/rollbacks";
    long epoch = ok(send("GET", path, "")).get(0).get("epoch").asLong();
    assertThat(ok(send("GET", path + "?before=" + (epoch + 5), "")).get(0).get("epoch").asLong())
        .isEqualTo(epoch);
    for (JsonNode older : ok(send("GET", path + "?before=" + epoch, ""))) {
      assertThat(older.get("epoch").asLong()).isLessThan(epoch);
    }
    assertThat(send("GET", path + "?before=last", "").statusCode()).isEqualTo(400);
  }

  @Test
  void anUnknownCursorGradeOrTimeIsRefused() throws Exception {
    for (String query : List.of("before=v9", "grade=sure", "since=soon")) {
      HttpResponse<String> answer = send("GET", PATH + "?" + query, "");
      assertThat(answer.statusCode()).as(query).isEqualTo(400);
      assertThat(error(answer)).contains(query.substring(query.indexOf('=') + 1));
    }
  }

  /** The latest first: {@code v2, v1, v0}, a microsecond apart. */
  private static List<ReceivedViolation> violations(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> violation(count - 1 - i))
        .map(violation -> ReceivedViolation.first(violation, 2_000, false))
        .toList();
  }

  private static Violation violation(int number) {
    return Violation.newBuilder()
        .setId("v" + number)
        .setPredicate(number % 2 == 0 ? "even" : "odd")
        .setGrade(ViolationGrade.DEFINITE)
        .setViolate(Hlc.ofMicros(1_000 + number))
        .build();
  }

  private static List<String> ids(HttpResponse<String> answer) throws Exception {
    List<String> ids = new ArrayList<>();
    for (JsonNode violation : ok(answer)) {
      ids.add(violation.get("id").asText());
    }
    return ids;
  }

  private static Optional<String> next(HttpResponse<String> answer) {
    return answer
        .headers()
        .firstValue("Link")
        .map(NEXT::matcher)
        .filter(Matcher::matches)
        .map(link -> link.group(1));
  }
}
