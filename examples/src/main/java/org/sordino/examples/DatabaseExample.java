package org.sordino.examples;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.SplittableRandom;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.sordino.run.Run;
import org.sordino.run.TableTraining;
import org.sordino.table.TableSource;

/** Trains on the rows of a database query. Argument: a new run directory. */
public final class DatabaseExample {

  private DatabaseExample() {}

  public static void main(String[] args) throws SQLException {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:clinic;DB_CLOSE_DELAY=-1"); // any JDBC database works
    fill(database, 10_000);

    // One row per person, in a fixed order, so that a resumed run reads the same rows.
    String query = "select age, job, hours, insured from people order by id";
    Run run =
        TableTraining.on(TableSource.jdbc(database, query))
            .label("insured")
            .population(10_000)
            .budget(1, 1e-5)
            .onProgress(now -> show(now.step(), now.steps()))
            .train(Path.of(args[0]));
    System.out.println(run.statement().markdown());
  }

  private static void show(long step, long steps) {
    if (step % 100 == 0) {
      System.out.println(step + " of " + steps + " steps");
    }
  }

  /** Fills a table with text, numbers and missing values, as in real data. */
  private static void fill(DataSource database, int people) throws SQLException {
    SplittableRandom random = new SplittableRandom(1);
    String[] jobs = {"nurse", "driver", "teacher"};
    try (Connection connection = database.getConnection();
        Statement create = connection.createStatement()) {
      create.execute("create table people(id int, age int, job text, hours double, insured text)");
      PreparedStatement insert =
          connection.prepareStatement("insert into people values (?, ?, ?, ?, ?)");
      for (int id = 0; id < people; id++) {
        int age = random.nextInt(18, 90);
        insert.setInt(1, id);
        insert.setInt(2, age);
        insert.setString(3, jobs[random.nextInt(jobs.length)]);
        insert.setObject(4, random.nextInt(10) == 0 ? null : random.nextDouble(60));
        insert.setString(5, random.nextInt(18, 90) < age ? "yes" : "no");
        insert.execute();
      }
    }
  }
}
