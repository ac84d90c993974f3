package io.palinode.predicate.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateTest {
  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {
        "cs_{a}_{b}_{a}, cs_1_2_1,      'a=1,b=2'",
        "cs_{a}_{b}_{a}, cs_1_2_2,      none",
        "cs_{a}_{b}_{a}, cs_1_2_3_1,    'a=1,b=2_3'",
        "cs_{a}_{b}_{b}, cs_1_2_1,      none",
        "cs_{a}_{b}_{b}, cs_1_2_3_2_3,  'a=1,b=2_3'",
        "cs_{a}_{b}_{b}, cs_1_2_3_3,    'a=1_2,b=3'",
        "cs_{a}_{b},     cs_1_2_3,      'a=1,b=2_3'",
        "cs_{a}_{b},     cs__1_2,       'a=_1,b=2'",
        "cs_{a}_{b},     cs_1_,         none",
        "cs_{a}_{b},     cs_1,          none",
        "cs_{a}_{b},     cs_,           none",
        "cs_{a}_{b},     xs_1_2,        none",
        "{a}x,           1x2x,          a=1x2",
        "{a}x,           x,             none",
        "{a},            anything,      a=anything",
        "{a},            '',            none",
        "{b}-{a},        1-2,           'a=2,b=1'",
        "{a}{{{b}}},     1{2},          'a=1,b=2'",
        "exact,          exact,         ''",
        "exact,          exactly,       none",
        "'',             '',            ''",
        "'',             x,             none",
      })
  void capturesTakeTheFewestCharactersThatLetTheWholeTextMatch(
      String pattern, String text, @Nullable String binding) {
    Binding match = Template.parse(pattern).match(text);
    assertThat(match == null ? null : match.toString()).isEqualTo(binding);
  }

  @Test
  void aKnownCaptureTakesOnlyItsValue() {
    Template template = Template.parse("{a}_{b}");
    Binding known = new Binding(Map.of("a", "1_2", "z", "9"));
    assertThat(template.match("1_2_3", known)).hasToString("a=1_2,b=3");
    assertThat(template.match("1_3", known)).isNull();
    assertThat(Template.parse("{b}_{a}").match("7_1_2", known)).hasToString("a=1_2,b=7");
  }

  @Test
  void capturesAreNamedInOrderOfAppearanceAndThePrefixIsLiteral() {
    Template template = Template.parse("{{cs}}_{b}_{a}_{b}");
    assertThat(template.captures()).containsExactly("b", "a");
    assertThat(template.prefix()).isEqualTo("{cs}_");
    assertThat(template).hasToString("{{cs}}_{b}_{a}_{b}");
    assertThat(Template.parse("x{{1}}").prefix()).isEqualTo("x{1}");
  }

  @ParameterizedTest
  @CsvSource({
    "cs_{a,     'a literal brace is doubled, this ''{'' is never closed: character 4 of ''cs_{a'''",
    "cs_a},     'a literal brace is doubled, this ''}'' closes nothing: character 5 of ''cs_a}'''",
    "cs_{},     'not '''': character 4 of ''cs_{}'''",
    "cs_{1},    'a capture''s name must be a letter and then up to 63 letters, digits or ''_'', not"
        + " ''1'': character 4 of ''cs_{1}'''",
    "{a}{b},    'captures must have a literal between them, ''a'' and ''b'' do not: character 4 of"
        + " ''{a}{b}'''",
  })
  void aPatternThatCannotBeReadIsRefusedWithThePlace(String pattern, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Template.parse(pattern))
        .withMessageEndingWith(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u0000", "x\u001F", "\uFFFE", "\uD800", "a\uDC00\uD800"})
  void textThatXmlCannotHoldIsRefused(String pattern) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Template.parse(pattern))
        .withMessageStartingWith("a pattern must hold only characters that XML 1.0 allows: U+");
  }

  @Test
  void aPatternThatIsTooLongIsRefused() {
    assertThat(Template.parse("x".repeat(512)).prefix()).hasSize(512);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Template.parse("x".repeat(513)))
        .withMessage("a pattern must have at most 512 characters: characters=513");
  }

  /** The oracle is a regular expression with reluctant groups and back references. */
  @Test
  void matchesWhatARegularExpressionMatches() {
    int matched = 0;
    for (long seed = 0; seed < 200_000; seed++) {
      Random random = new Random(seed);
      Template template = randomTemplate(random);
      String text = randomText(random);
      Binding expected = matchByRegex(template, text);
      assertThat(template.match(text))
          .as("seed %d: %s on %s", seed, template, text)
          .isEqualTo(expected);
      matched += expected == null ? 0 : 1;
    }
    assertThat(matched).isBetween(10_000, 190_000);
  }

  @Test
  void whatHasNotThePrefixCostsNoMemory() {
    Template template = Template.parse("cs_{a}_{b}_{a}");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    countMatches(template, 1_000);
    long before = threads.getCurrentThreadAllocatedBytes();
    int matches = countMatches(template, 100_000);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(matches).isZero();
    assertThat(allocated).as("bytes in 100,000 tries").isLessThan(10_000);
  }

  @Test
  void capturesThatDoNotRepeatTakeTimeLinearInAHostileText() {
    Template template = Template.parse("x{a}_{b}_{c}_{d}_{e}_{f}-{g}y");
    assertThat(template.match("x" + "_".repeat(8_000) + "y")).isNull();
    assertThat(template.gaveUp()).isZero();
  }

  @Test
  void aMatchThatWouldTakeTooManyStepsIsGivenUpAndCounted() {
    Template template = Template.parse("x{a}_{b}_{c}_{a}-{b}_{c}");
    assertThat(template.match("x" + "_".repeat(5_000) + "1-2_3")).isNull();
    assertThat(template.gaveUp()).isEqualTo(1);
    assertThat(template.match("x1_2_3_1-2_3")).hasToString("a=1,b=2,c=3");
    assertThat(template.gaveUp()).isEqualTo(1);
  }

  /** Each try compares a long value, so that tries alone say little of the time. */
  @Test
  void whatIsComparedCountsNotOnlyWhatIsTried() {
    Template template = Template.parse("cs_{a}_{b}_{a}");
    assertThat(template.match("cs_" + ("a".repeat(160) + "_").repeat(50) + "z")).isNull();
    assertThat(template.gaveUp()).isEqualTo(1);
  }

  @Test
  void aTextTooLongToMatchIsGivenUpAndCounted() {
    Template template = Template.parse("x{a}");
    assertThat(template.match("x" + "1".repeat(Template.TEXT_MAX))).isNull();
    assertThat(template.gaveUp()).isEqualTo(1);
    assertThat(template.match("x" + "1".repeat(Template.TEXT_MAX - 1))).isNotNull();
  }

  private static int countMatches(Template template, int times) {
    int matches = 0;
    for (int i = 0; i < times; i++) {
      matches += template.match("other_1_2_1") == null ? 0 : 1;
    }
    return matches;
  }

  private static Template randomTemplate(Random random) {
    StringBuilder pattern = new StringBuilder(random.nextBoolean() ? "" : "_");
    int parts = 1 + random.nextInt(5);
    for (int i = 0; i < parts; i++) {
      pattern.append(i == 0 ? "" : List.of("_", "1", "_1", "__").get(random.nextInt(4)));
      pattern.append('{').append("abc".charAt(random.nextInt(3))).append('}');
    }
    return Template.parse(pattern.append(random.nextBoolean() ? "" : "_").toString());
  }

  private static String randomText(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(14); i > 0; i--) {
      text.append("__1\n".charAt(random.nextInt(random.nextInt(10) == 0 ? 4 : 3)));
    }
    return text.toString();
  }

  private static @Nullable Binding matchByRegex(Template template, String text) {
    StringBuilder regex = new StringBuilder();
    List<String> seen = new ArrayList<>();
    Matcher piece = Pattern.compile("\\{(\\w+)}|[^{]+").matcher(template.toString());
    while (piece.find()) {
      String name = piece.group(1);
      if (name == null) {
        regex.append(Pattern.quote(piece.group()));
      } else if (seen.contains(name)) {
        regex.append("\\k<").append(name).append('>');
      } else {
        seen.add(name);
        regex.append("(?<").append(name).append(">.+?)");
      }
    }
    Matcher matcher = Pattern.compile(regex.toString(), Pattern.DOTALL).matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    Map<String, String> values = new TreeMap<>();
    seen.forEach(name -> values.put(name, matcher.group(name)));
    return new Binding(values);
  }

  @Test
  void aTemplateIsFilledWithABinding() {
    Template template = Template.parse("{{cs_{a}_{b}_{a}");
    Binding binding = new Binding(Map.of("a", "1", "b", "2", "k", "3"));
    assertThat(template.fill(binding)).isEqualTo("{cs_1_2_1");
    assertThat(template.match(template.fill(binding)))
        .isEqualTo(new Binding(Map.of("a", "1", "b", "2")));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> template.fill(Binding.NONE))
        .withMessageContaining("'a'");
  }
}
