package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueryWarningsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          select * from a join b on a.id = b.id                      | JOIN
          select * from a Left Outer Join b using (id)               | JOIN
          select * from a, b where a.id = b.id                       | JOIN
          select * from a x, b y                                     | JOIN
          select * from a cross apply f(a.id)                        | APPLY
          select age, count(*) from a group by age                   | COUNT, GROUP BY
          select age, COUNT (distinct job) from a group  by age      | COUNT, DISTINCT, GROUP BY
          select avg(age), stddev_pop(age), string_agg(job, ',') from a | AVG, STDDEV_POP, STRING_AGG
          select sum(x) over (partition by id order by t) from a     | SUM, OVER
          select rank() over w from a window w as (order by t)       | OVER
          select distinct on (id) id, age from a order by id         | DISTINCT
          select top 10 age from a                                   | TOP
          select top (10) age from a                                 | TOP
          select age from a limit 10 offset 5                        | LIMIT, OFFSET
          select age from a fetch first 5 rows only                  | FETCH
          select age from a where rownum < 10                        | ROWNUM
          select age from a union all select age from b              | UNION
          select age from a except select age from b                 | EXCEPT
          select age from a where id in (select id from b)           | subquery
          select age from (select age from a) t                      | subquery
          with t as (select age from a) select age from t            | subquery
          select age, (select max(x) from b) from a                  | subquery, MAX
          select age from a where exists (select 1 from b)           | EXISTS, subquery
          select unnest(tags) from a                                 | UNNEST
          select age from a tablesample bernoulli (10)               | TABLESAMPLE
          select age from a using sample 10%                         | SAMPLE
          select id from a connect by prior id = parent              | CONNECT BY
          """)
  void of_construct_isNamed(String sql, String expected) {
    assertThat(QueryWarnings.of(sql).constructs())
        .containsExactlyInAnyOrder(expected.strip().split(", "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select age, job from people order by id",
        "select p.age, upper(p.job), p.limit from people p where p.age between 3 and 5 order by id",
        "select 'join', 'a join b', 'it''s a limit', age from people order by id",
        "select \"group by\", `union`, age from people order by id",
        "select age /* join b */ from people -- limit 5\n order by id",
        "select extract(year from born), age, coalesce(job, 'x') from people order by id",
        "select a is distinct from b, c, d from t order by id",
        "select joined, counter, summary, unions, distinct_id from people order by id",
        "select a, b from t where x in (1, 2, 3) order by a, b",
        "(select a, b from t) order by a",
        "select substring(a from 1 for 2), b from t order by a"
      })
  void of_plainQuery_hasNoWarning(String sql) {
    assertThat(QueryWarnings.of(sql)).isEqualTo(new QueryWarnings(List.of(), true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select age from people",
        "select age from (select * from people order by id) t",
        "select row_number() over (order by id) from people",
        "select string_agg(a order by b) from t",
        "select 'order by id' from people",
        "select age from people -- order by id",
        "select age from people /* order by id */",
        "select \"order\" from people",
        "(select a from t order by a)"
      })
  void ordered_noneAtTheTop_isFalse(String sql) {
    assertThat(QueryWarnings.of(sql).ordered()).isFalse();
  }

  /** Each query contains a join in one database and a literal or comment in another. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "select 'it\\' from a join b on a.x = ''", // standard: the literal ends at the backslash
        "select 'it\\'s', x from a join b on a.y = 'z'", // MySQL: it does not
        "select 5--1 from a join b", // MySQL: two minus signs
        "select 5 # 'x\n from a join b on 1 = 1", // MySQL: a comment; PostgreSQL: an operator
        "select /* /* */ x from a join b /* */ */ y", // comments nest in some databases
        "select x from a /*! join b */", // executed by MySQL
        "select [it's] from a join b on 1 = 1", // SQL Server: a name
        "select $$it's$$ from a join b on 1 = 1", // PostgreSQL: a literal
        "select $q$ $$ ' $q$ from a join b on 1 = 1",
        "select a$$b from a join b on a.c$$d = 1" // Oracle: names
      })
  void of_dialects_errTowardAWarning(String sql) {
    assertThat(QueryWarnings.of(sql).constructs()).contains("JOIN");
  }

  @Test
  void of_anyText_terminates() {
    for (String sql :
        List.of("", "'", "\"", "/*", "--", "$", "$a", "$a$", "[", "'\\", "((", "))")) {
      assertThat(QueryWarnings.of(sql)).isEqualTo(new QueryWarnings(List.of(), false));
    }
  }
}
