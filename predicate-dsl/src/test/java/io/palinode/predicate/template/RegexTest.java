package io.palinode.predicate.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RegexTest {
  private static final String[] PIECES =
      ("a b é ( ( ) ) (?: (?i: (?P<n> (?i) (?i-s) \\Q\\E \\Q \\E [a ] []a] [^]] [[:alpha:]] [: [\\]]"
              + " {2} {2} {7} {1,5} {3,} {0} {20} {,3} { } * + ? | . ^ $ \\b \\ \\( \\[ \\d \\pL"
              + " \\p{Greek} \\x{41} \\x{2}")
          .split(" ");

  @Test
  void theWholeTextMustMatch() {
    Regex regex = Regex.parse("[a-z]+-[0-9]{2}|x");
    assertThat(regex.matches("ab-12")).isTrue();
    assertThat(regex.matches("x")).isTrue();
    assertThat(regex.matches("ab-123")).isFalse();
    assertThat(regex.matches(" x")).isFalse();
    assertThat(regex.matches("x\n")).isFalse();
    assertThat(Regex.parse("").matches("")).isTrue();
    assertThat(Regex.parse("a.b").matches("a\nb")).isFalse();
    assertThat(Regex.parse("(?s)a.b").matches("a\nb")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "(a,      'missing closing ): ''(a'' at character 1 of ''(a'''",
    "x[z-a],  'invalid character class range: ''z-a'' at character 3 of ''x[z-a]'''",
    "a**,     'invalid nested repetition operator: ''**'' at character 2 of ''a**'''",
    "(?=a),   'invalid or unsupported Perl syntax: ''(?='' at character 1 of ''(?=a)'''",
    "(a)\\1,  'invalid escape sequence: ''\\1'' at character 4 of ''(a)\\1'''",
    "a{1001}, 'invalid repeat count: ''{1001}'' at character 2 of ''a{1001}'''",
  })
  void aPatternThatCannotBeReadIsRefusedWithThePlace(String pattern, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Regex.parse(pattern))
        .withMessage("a regular expression must be one of RE2, " + message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "((a{1000}){1000}){1000}",
        "((((((((a{0,9}){0,9}){0,9}){0,9}){0,9}){0,9}){0,9}){0,9})",
        "(((a{1,}){1000,}){1000}b)*",
        "(((\\x{1000}[^]a{]{999}){999}){999})",
        "((\\Q(\\E{1000}){1000}){1000}",
        "(?:(?:[[:alpha:]]{1000}){1000}){1000}",
        "\\pL{1000}",
        "(?:xy|yz|zx){300}",
        "a{1000}(?i){1000}(?i){1000}(?i){1000}",
        "a{1000}\\Q\\E{1000}\\Q\\E{1000}",
      })
  void anExpressionThatGrowsWhenCompiledIsRefusedBeforeItDoes(String bomb) {
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(5),
        () ->
            assertThatIllegalArgumentException()
                .isThrownBy(() -> Regex.parse(bomb))
                .withMessage(
                    "a regular expression must compile to at most 1000 instructions, its"
                        + " repetitions make more: '"
                        + bomb
                        + "'"));
  }

  @Test
  void aPatternIsBoundedInLengthAndInItsCharacters() {
    assertThat(Regex.parse("x".repeat(512)).matches("x".repeat(300))).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Regex.parse("x".repeat(513)))
        .withMessage("a regular expression must have at most 512 characters: characters=513");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Regex.parse("\u0000"))
        .withMessageStartingWith("a regular expression must hold only characters that XML 1.0");
    assertThat(Regex.parse("(".repeat(255) + ")".repeat(255)).matches("")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"(a+)+b", "(a|aa)*b", "(.*)*x", "(a?){20}a{20}b", "(\\w+\\s?)*!"})
  void whatTakesABacktrackingEngineForeverTakesMilliseconds(String pattern) {
    Regex regex = Regex.parse(pattern);
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(5),
        () -> {
          for (int i = 0; i < 20; i++) {
            assertThat(regex.matches("a".repeat(1_000))).isFalse();
          }
        });
    assertThat(regex.gaveUp()).isZero();
  }

  @Test
  void aTextThatWouldTakeTooManyStepsIsGivenUpAndCounted() {
    Regex regex = Regex.parse("a{900}.*");
    assertThat(regex.matches("a".repeat(200))).isFalse();
    assertThat(regex.gaveUp()).isZero();
    assertThat(regex.matches("a".repeat(1_000))).isFalse();
    assertThat(regex.gaveUp()).isEqualTo(1);
    assertThat(Regex.parse("[a-z]*").matches("a".repeat(20_000))).isTrue();
  }

  @Test
  void theSizeIsEstimatedFromAbove() {
    int compiled = 0;
    for (long seed = 0; seed < 100_000; seed++) {
      String pattern = randomPattern(new Random(seed));
      long estimate = RegexSize.estimate(pattern);
      if (estimate > 20_000) {
        continue;
      }
      try {
        int size = Pattern.compile(pattern).programSize();
        assertThat((long) size).as("seed %d: %s", seed, pattern).isLessThanOrEqualTo(estimate + 10);
        compiled++;
      } catch (PatternSyntaxException refused) {
        assertThat(pattern).isNotEmpty();
      }
    }
    assertThat(compiled).isGreaterThan(20_000);
  }

  private static String randomPattern(Random random) {
    StringBuilder pattern = new StringBuilder();
    for (int i = random.nextInt(14); i >= 0; i--) {
      pattern.append(PIECES[random.nextInt(PIECES.length)]);
    }
    return pattern.toString();
  }
}
