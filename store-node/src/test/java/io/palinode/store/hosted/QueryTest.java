package io.palinode.store.hosted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class QueryTest {
  @Test
  void parametersAreDecoded() {
    Query query = Query.of("key=a%252Fb%2F%26%C3%A9+c&at=-5s&empty=&=x&alone");
    assertThat(query.required("key")).isEqualTo("a%2Fb/&é c");
    assertThat(query.find("at")).isEqualTo("-5s");
    assertThat(query.parameters()).hasSize(3);
    assertThat(Query.of(null).find("at")).isNull();
  }

  @Test
  void aMissingParameterIsNamed() {
    assertThatThrownBy(() -> Query.of("at=now").required("key"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the parameter 'key' is needed");
  }
}
