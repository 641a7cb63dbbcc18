"""The three models in torch, and the losses that they share."""

import torch
import torch.nn.functional as F
from torch import nn

from formats import SHAPE

WIDTH, HEADS, INNER, EMBEDDING, OUT = (SHAPE[key] for key in ("width", "heads", "inner", "embedding", "out"))


def mean_pool(states, mask):
    """The mean over all tokens, those that open and close a text included."""
    mask = mask.unsqueeze(-1).to(states.dtype)
    return (states * mask).sum(1) / mask.sum(1)


class Teacher(nn.Module):
    """M1: MiniLM with six layers, 384 numbers out."""

    def __init__(self, name):
        super().__init__()
        from transformers import AutoModel
        self.bert = AutoModel.from_pretrained(name, add_pooling_layer=False)

    def forward(self, ids, mask):
        return F.normalize(mean_pool(self.bert(ids, mask).last_hidden_state, mask), dim=-1)


class Layer(nn.Module):
    """One layer of BERT, normalised after each step."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.attended = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.attended_norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, states, mask):
        def heads(x):
            return x.view(*x.shape[:2], HEADS, -1).transpose(1, 2)

        seen = F.scaled_dot_product_attention(
            heads(self.query(states)), heads(self.key(states)), heads(self.value(states)),
            attn_mask=mask[:, None, None, :].bool())
        states = self.attended_norm(states + self.attended(seen.transpose(1, 2).flatten(2)))
        return self.norm(states + self.down(F.gelu(self.up(states))))


class Student(nn.Module):
    """T3: three layers on a narrow embedding, 256 numbers out."""

    def __init__(self):
        super().__init__()
        self.embeddings = nn.Embedding(SHAPE["vocabulary"], EMBEDDING)
        self.widen = nn.Linear(EMBEDDING, WIDTH, bias=False)
        self.positions = nn.Embedding(SHAPE["positions"], WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(SHAPE["layers"]))
        self.out = nn.Linear(WIDTH, OUT)

    def forward(self, ids, mask):
        places = torch.arange(ids.shape[1], device=ids.device)
        states = self.norm(self.widen(self.embeddings(ids)) + self.positions(places))
        for layer in self.layers:
            states = layer(states, mask)
        return F.normalize(self.out(mean_pool(states, mask)), dim=-1)

    @torch.no_grad()
    def start_from(self, teacher, frequencies, components, centre, kept=(0, 2, 5)):
        """Copies layers of the teacher; the embedding by a weighted SVD, the way out by the components."""
        bert = teacher.bert
        table = bert.embeddings.word_embeddings.weight.float()
        weights = (frequencies + 1).sqrt().unsqueeze(1).to(table)
        _, _, basis = torch.linalg.svd(table * weights, full_matrices=False)
        self.widen.weight.copy_(basis[:EMBEDDING].T)
        self.embeddings.weight.copy_(table @ basis[:EMBEDDING].T)
        first = bert.embeddings.position_embeddings.weight[:SHAPE["positions"]]
        self.positions.weight.copy_(first + bert.embeddings.token_type_embeddings.weight[0])
        self.norm.load_state_dict(bert.embeddings.LayerNorm.state_dict())
        for layer, number in zip(self.layers, kept):
            old = bert.encoder.layer[number]
            sources = {
                "query": old.attention.self.query, "key": old.attention.self.key, "value": old.attention.self.value,
                "attended": old.attention.output.dense, "attended_norm": old.attention.output.LayerNorm,
                "up": old.intermediate.dense, "down": old.output.dense, "norm": old.output.LayerNorm,
            }
            for name, source in sources.items():
                getattr(layer, name).load_state_dict(source.state_dict())
        self.out.weight.copy_(components)
        self.out.bias.copy_(-components @ centre)


class Table(nn.Module):
    """One vector per piece, and one weight per piece for queries."""

    def __init__(self, start):
        super().__init__()
        self.rows = nn.Parameter(start.clone())
        self.query_weights = nn.Parameter(torch.ones(len(start)))

    def forward(self, ids, mask, is_query):
        # Neither the opening nor the closing mark counts.
        counts = mask * (ids != 101) * (ids != 102)
        weights = counts * self.query_weights[ids] if is_query else counts.to(self.rows.dtype)
        return F.normalize((self.rows[ids] * weights.unsqueeze(-1)).sum(1), dim=-1)


def contrast(queries, documents, same, tau=0.05):
    """Symmetric InfoNCE; `same` marks pairs beside the diagonal that are no negatives."""
    scores = (queries @ documents.T / tau).masked_fill(same, -1e4)
    goal = torch.arange(len(scores), device=scores.device)
    return (F.cross_entropy(scores, goal) + F.cross_entropy(scores.T, goal)) / 2


def repeated(queries, documents, device):
    """True beside the diagonal where two pairs share their query or their document text."""
    def equal(texts):
        numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        ids = torch.tensor([numbers[text] for text in texts], device=device)
        return ids[:, None] == ids[None, :]

    same = equal(queries) | equal(documents)
    return same & ~torch.eye(len(same), dtype=torch.bool, device=device)


def imitate(student, teacher, tau=0.05):
    """Each vector like the teacher's, and the similarities within the batch like the teacher's."""
    return (1 - (student * teacher).sum(-1)).mean() + divergence(student @ student.T, teacher @ teacher.T, tau)


def divergence(scores, goal, tau=0.05):
    """Kullback-Leibler divergence of the rows of two similarity matrices."""
    return F.kl_div(F.log_softmax(scores / tau, -1), F.log_softmax(goal / tau, -1), log_target=True,
                    reduction="batchmean")
