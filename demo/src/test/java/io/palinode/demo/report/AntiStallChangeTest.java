package io.palinode.demo.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.orchestrator.violations.SequentialSpan;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class AntiStallChangeTest {
  private static final long SECOND = 1_000_000;

  @Test
  void eachChangeOfKeysIsPrintedWithTheKeysInForce() {
    List<SequentialSpan> spans =
        List.of(
            span("e=1", 10, 15, "a", "b"), span("e=2", 12, 15, "b", "c"), span("e=1", 20, 30, "a"));
    assertThat(AntiStallChange.of(spans, List.of(), 5 * SECOND, 25 * SECOND))
        .containsExactly(
            new AntiStallChange(5, 2, 1, false, 0),
            new AntiStallChange(7, 3, 2, false, 0),
            new AntiStallChange(10, 0, 0, false, 0),
            new AntiStallChange(15, 1, 1, false, 0));
  }

  @Test
  void allKeysIsPrintedApart() {
    assertThat(
            AntiStallChange.of(
                List.of(span("", 10, 15), span("e=1", 10, 20, "a")), List.of(), 0, 12 * SECOND))
        .containsExactly(new AntiStallChange(10, 1, 1, true, 0));
  }

  @Test
  void whatWasInForceBeforeTheRunIsNoChange() {
    assertThat(
            AntiStallChange.of(List.of(span("e=1", 1, 8, "a")), List.of(), 5 * SECOND, 12 * SECOND))
        .containsExactly(new AntiStallChange(3, 0, 0, false, 0));
  }

  private static SequentialSpan span(String binding, long since, long until, String... keys) {
    return new SequentialSpan(
        "p",
        binding,
        Arrays.stream(keys).map(ByteString::copyFromUtf8).toList(),
        since * SECOND,
        until * SECOND,
        SECOND);
  }
}
