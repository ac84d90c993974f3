package io.palinode.voldemort.conformance;

import io.palinode.voldemort.conformance.Answer.Version;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** What is right as an answer. */
record Expected(String text, Predicate<Answer> accepts) {
  private static Expected equal(Answer answer) {
    return new Expected(answer.toString(), answer::equals);
  }

  static Expected versions(Version... versions) {
    return equal(new Answer.Versions(List.of(versions)));
  }

  static Expected clocks(Clock... clocks) {
    return equal(new Answer.Clocks(Arrays.stream(clocks).map(Clock::toString).toList()));
  }

  static Expected keyed(Map<String, List<Version>> found) {
    return equal(new Answer.Keyed(found));
  }

  static Expected done() {
    return equal(new Answer.Done());
  }

  static Expected deleted(boolean found) {
    return equal(new Answer.Deleted(found));
  }

  static Expected error(int code) {
    return new Expected(
        "error " + code,
        answer -> answer instanceof Answer.Refused refused && refused.code() == code);
  }

  static Expected closed() {
    return new Expected("the end", answer -> answer instanceof Answer.Closed);
  }

  static Expected anything() {
    return new Expected("any answer", answer -> !(answer instanceof Answer.Silence));
  }

  /** One version with a value that has {@code part} in it. */
  static Expected oneVersionWith(String part) {
    return new Expected(
        "one version with " + part,
        answer ->
            answer instanceof Answer.Versions versions
                && versions.found().size() == 1
                && versions.found().get(0).value().contains(part));
  }

  Expected or(Expected other) {
    return new Expected(text + " or " + other.text, accepts.or(other.accepts));
  }
}
