; What the recorded compile sessions step through: a loop over memory that passes can do something about.
target triple = "x86_64-pc-linux-gnu"

define i32 @sum(ptr %data, i32 %count) {
entry:
  %total = alloca i32
  %i = alloca i32
  store i32 0, ptr %total
  store i32 0, ptr %i
  br label %head
head:
  %at = load i32, ptr %i
  %more = icmp slt i32 %at, %count
  br i1 %more, label %body, label %end
body:
  %wide = sext i32 %at to i64
  %place = getelementptr i32, ptr %data, i64 %wide
  %value = load i32, ptr %place
  %twice = add i32 %value, %value
  %same = add i32 %value, %value
  %both = add i32 %twice, %same
  %before = load i32, ptr %total
  %after = add i32 %before, %both
  store i32 %after, ptr %total
  %next = add i32 %at, 1
  store i32 %next, ptr %i
  br label %head
end:
  %result = load i32, ptr %total
  ret i32 %result
}

define i32 @main() {
  %data = alloca [4 x i32]
  store i32 1, ptr %data
  %one = getelementptr i32, ptr %data, i64 1
  store i32 2, ptr %one
  %two = getelementptr i32, ptr %data, i64 2
  store i32 3, ptr %two
  %three = getelementptr i32, ptr %data, i64 3
  store i32 4, ptr %three
  %result = call i32 @sum(ptr %data, i32 4)
  ret i32 %result
}
