package io.palinode.hazelcast.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.cluster.impl.JoinRequest;
import org.jspecify.annotations.Nullable;

/**
 * The attribute by which members with the agent know each other: the version of what operations
 * carry, and the number of members.
 */
public final class AgentMark {
  static final String NAME = "palinode-agent";
  private static final String VERSION = "1/";

  private final String value;

  AgentMark(int members) {
    this.value = VERSION + members;
  }

  /** Marks a member that has not joined its cluster. */
  void put(Node node) {
    node.getLocalMember().setAttribute(NAME, value);
  }

  /** Why a member must not join; null if it may. A lite member holds no entry, as a client. */
  @Nullable String refusal(JoinRequest request) {
    String mark = request.getAttributes().get(NAME);
    return request.toMemberInfo().isLiteMember() || mayJoin(mark)
        ? null
        : refusal(String.valueOf(request.getAddress()), mark);
  }

  /** Members may be restarted one by one for another number of members. */
  static boolean mayJoin(@Nullable String mark) {
    return mark != null && mark.startsWith(VERSION);
  }

  /** Why a member of the cluster is not watched; null if it is. */
  @Nullable String refusal(Member member) {
    String mark = member.getAttribute(NAME);
    return member.isLiteMember() || value.equals(mark)
        ? null
        : refusal(String.valueOf(member.getAddress()), mark);
  }

  private String refusal(String member, @Nullable String mark) {
    return mark == null
        ? "member=%s runs without the agent: start it with -javaagent:hazelcast-agent.jar"
            .formatted(member)
        : "member=%s has another release of the agent, or another number of 'members': %s, not %s"
            .formatted(member, mark, value);
  }
}
