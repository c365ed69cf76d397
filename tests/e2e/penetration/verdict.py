"""What was refused and what was not: a line each, and the figure at the end."""

done = []  # of each attack: whether it was refused


def told(area, what, refused, instead=""):
    done.append(refused)
    print(f"{'refused    ' if refused else 'NOT REFUSED'}  {area:<16} {what}" +
          ("" if refused else f": {instead}"), flush=True)
