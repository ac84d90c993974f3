package io.palinode.orchestrator.rest;

import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.violations.Grades;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lists by pages, the latest first. A page holds what is older than the item {@code before}, so new
 * items move nothing from one page to another. The header {@link #TOTAL} has the number of all
 * items that match, and {@code Link} the next page.
 */
final class Listing {
  static final String TOTAL = "X-Total-Count";
  static final int LIMIT_MAX = 10_000;

  /** The query parameters of violations. */
  static final Set<String> VIOLATIONS =
      Set.of("limit", "before", "since", "predicate", "grade", "holding");

  /** The query parameters of rollbacks. */
  static final Set<String> ROLLBACKS = Set.of("limit", "before", "since", "predicate");

  private static final int LIMIT_DEFAULT = 100;
  private static final Pattern VIOLATION_ID = Pattern.compile("[0-9a-f]{32}");
  private static final Pattern EPOCH = Pattern.compile("[0-9]{1,18}");

  /** A page ends before the item with which its items would be longer. */
  private static final long BYTES_MAX = 4 << 20;

  private final Context ctx;

  Listing(Context ctx) {
    this.ctx = ctx;
  }

  /** The page of violations that the request asks for. */
  List<ReceivedViolation> violations(List<ReceivedViolation> all) {
    String predicate = ctx.queryParam("predicate");
    Grade grade = grade();
    Boolean holding = flag(ctx, "holding");
    long since = since();
    String before = ctx.queryParam("before");
    List<String> ids = all.stream().map(found -> found.violation().getId()).toList();
    int at = before == null ? -1 : ids.indexOf(before);
    if (before != null && at < 0 && !VIOLATION_ID.matcher(before).matches()) {
      throw new BadRequestResponse("before must be the ID of a violation: before=" + before);
    }
    // The oldest are dropped first: nothing is older than one that is not remembered.
    int from = before != null && at < 0 ? all.size() : at + 1;
    return page(
        all,
        from,
        found -> found.violation().getId(),
        ReceivedViolation::bytes,
        found ->
            found.violation().getViolate() >= since
                && (holding == null || holding == (found.ended() == 0))
                && (predicate == null || predicate.equals(found.violation().getPredicate()))
                && (grade == null || grade == Grades.of(found.violation().getGrade())));
  }

  /** The page of rollbacks that the request asks for. */
  List<Rollback> rollbacks(List<Rollback> all) {
    String predicate = ctx.queryParam("predicate");
    long since = since();
    long before = beforeEpoch();
    return page(
        all,
        (int) all.stream().takeWhile(rollback -> rollback.epoch() >= before).count(),
        rollback -> Long.toString(rollback.epoch()),
        rollback -> 0,
        rollback ->
            Hlc.ofMicros(rollback.openedMicros()) >= since
                && (predicate == null || predicate.equals(rollback.predicate())));
  }

  /**
   * @param from where the items begin that are older than {@code before}
   */
  private <T> List<T> page(
      List<T> all,
      int from,
      Function<T, String> id,
      ToLongFunction<T> bytes,
      Predicate<T> matching) {
    int limit = limit();
    List<T> older = all.subList(from, all.size()).stream().filter(matching).toList();
    ctx.header(TOTAL, Long.toString(all.stream().filter(matching).count()));
    int end = 0;
    long sum = 0;
    while (end < Math.min(limit, older.size())) {
      sum += bytes.applyAsLong(older.get(end));
      if (end > 0 && sum > BYTES_MAX) {
        break;
      }
      end++;
    }
    if (end < older.size()) {
      ctx.header("Link", "<%s>; rel=\"next\"".formatted(next(id.apply(older.get(end - 1)))));
    }
    return older.subList(0, end);
  }

  private long beforeEpoch() {
    String before = ctx.queryParam("before");
    if (before == null) {
      return Long.MAX_VALUE;
    }
    if (!EPOCH.matcher(before).matches()) {
      throw new BadRequestResponse("before must be the epoch of a rollback: before=" + before);
    }
    return Long.parseLong(before);
  }

  private String next(String before) {
    String others =
        ctx.queryParamMap().entrySet().stream()
            .filter(parameter -> !parameter.getKey().equals("before"))
            .map(parameter -> parameter.getKey() + "=" + encoded(parameter.getValue().get(0)) + "&")
            .collect(Collectors.joining());
    return ctx.path() + "?" + others + "before=" + encoded(before);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private long since() {
    String text = ctx.queryParam("since");
    return text == null ? Long.MIN_VALUE : RollbackRoutes.time(text);
  }

  /** The query parameter {@code true} or {@code false}; null: the request has none. */
  static @Nullable Boolean flag(Context ctx, String name) {
    String text = ctx.queryParam(name);
    if (text != null && !text.equals("true") && !text.equals("false")) {
      throw new BadRequestResponse("%s must be true or false: %s=%s".formatted(name, name, text));
    }
    return text == null ? null : Boolean.valueOf(text);
  }

  private @Nullable Grade grade() {
    String text = ctx.queryParam("grade");
    if (text == null) {
      return null;
    }
    return Arrays.stream(Grade.values())
        .filter(grade -> grade.name().toLowerCase(Locale.ROOT).equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new BadRequestResponse(
                    "grade must be definite, possible or uncertain: grade=" + text));
  }

  private int limit() {
    String text = ctx.queryParam("limit");
    int limit = text == null ? LIMIT_DEFAULT : RestServer.parse(text);
    if (limit < 1 || limit > LIMIT_MAX) {
      throw new BadRequestResponse("limit must be in [1, " + LIMIT_MAX + "]: limit=" + text);
    }
    return limit;
  }
}
