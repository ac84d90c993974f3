package io.palinode.hazelcast.member;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AgentMarkTest {
  @Test
  void aMemberOfAnotherNumberMayJoinAndOneOfAnotherReleaseMayNot() {
    assertThat(AgentMark.mayJoin("1/3")).isTrue();
    assertThat(AgentMark.mayJoin("1/4")).isTrue();
    assertThat(AgentMark.mayJoin("2/3")).isFalse();
    assertThat(AgentMark.mayJoin("11/3")).isFalse();
    assertThat(AgentMark.mayJoin(null)).isFalse();
  }
}
